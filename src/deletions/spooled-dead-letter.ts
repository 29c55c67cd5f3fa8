import { createHash } from "node:crypto";
import { carryAge, newAge } from "../attachments/age.ts";
import type { CniInvocation } from "../attachments/invocation.ts";
import { defaultErrorPolicy } from "../attachments/parse-error-policy.ts";
import type { BootClock } from "../attachments/ports.ts";
import { monotonicNs, nsToMs } from "../foundation/clock.ts";
import type { DeleteSandbox } from "./delete-sandbox.ts";
import type { AttemptResult } from "./deletion-attempt.ts";
import type { DeletionRecord } from "./deletion-record.ts";
import type { SpooledDeletion } from "./ports.ts";

/** Stands where a network would: which ones a whole DEL has is not looked up for what daemons died of. */
const spooledNetwork = "(spooled)";

/** The dead letter of a spooled DEL that daemons died of: the request as it is, for an operator to retry or abandon. */
export function spooledDeadLetter(
  entry: SpooledDeletion,
  invocation: CniInvocation,
  crashes: number,
  clock: BootClock,
): DeletionRecord {
  const { containerId, ifName, netns } = invocation;
  const { bootId, startNs } = entry.generation;
  const parts = [containerId, bootId, startNs, spooledNetwork, ifName];
  return {
    id: createHash("sha256").update(parts.join("\0")).digest("hex").slice(0, 20),
    state: "dead",
    sandbox: containerId,
    ifName,
    generation: entry.generation,
    netns,
    attachment: {
      network: spooledNetwork,
      listName: spooledNetwork,
      interface: ifName,
      config: JSON.stringify({ cniVersion: "1.0.0", name: spooledNetwork, plugins: [{ type: "multus" }] }),
      args: invocation.args,
      capabilityArgs: {},
      searchPath: [],
      policy: { policy: defaultErrorPolicy, source: "default" },
      state: "deleting",
      owed: [0],
      since: clock.nowText(),
    },
    attemptCount: crashes,
    attempts: [],
    created: clock.nowText(),
    age: newAge(clock),
    reason: `the daemon ended ${crashes} times while it worked on this DEL, which a shim had spooled`,
    death: "crashes",
    spooled: { name: entry.name, env: entry.env, config: entry.config },
  };
}

/** Runs the whole DEL of such a letter, as its spool entry would have been. */
export async function attemptSpooled(
  deleteSandbox: DeleteSandbox,
  toInvocation: (entry: SpooledDeletion) => CniInvocation | undefined,
  deletion: DeletionRecord,
  spooled: NonNullable<DeletionRecord["spooled"]>,
  clock: BootClock,
): Promise<AttemptResult> {
  const [at, sinceNs] = [clock.nowText(), monotonicNs()];
  try {
    const invocation = toInvocation({ ...spooled, generation: deletion.generation });
    if (invocation !== undefined) await deleteSandbox.deleteSpooled(invocation);
    const attachment = { ...deletion.attachment, owed: [] };
    return { outcome: "settled", record: { ...deletion, attachment } };
  } catch (cause) {
    const msg = cause instanceof Error ? cause.message : String(cause);
    const error = { plugin: "?", code: 999, msg };
    const durationMs = Math.round(nsToMs(monotonicNs() - sinceNs));
    const attempts = [...deletion.attempts.slice(-20), { at, outcome: "failed" as const, durationMs, error }];
    const age = carryAge(deletion.age, clock);
    const attemptCount = deletion.attemptCount + 1;
    return { outcome: "failed", record: { ...deletion, attempts, attemptCount, age, lastError: error } };
  }
}
