import { elapsedMs } from "../attachments/age.ts";
import type { Log } from "../attachments/instruments.ts";
import type { BootClock, SandboxStore } from "../attachments/ports.ts";
import { describeSandbox, type SandboxKey } from "../attachments/sandbox.ts";
import type { SandboxRecord } from "../attachments/sandbox-record.ts";
import type { SandboxTurns } from "../attachments/sandbox-turns.ts";
import { maxTimerMs } from "../foundation/abort.ts";
import { Deadline } from "../foundation/deadline.ts";
import type { PolicyOf, SettledAttachment } from "./attachment-outcome.ts";
import { owedIndexes } from "./run-attachment-deletion.ts";
import type { TakeDown } from "./take-down.ts";

export interface StrictWatchParts {
  readonly takeDown: TakeDown;
  readonly store: SandboxStore;
  readonly turns: SandboxTurns;
  readonly policyOf: PolicyOf;
  readonly clock: BootClock;
  readonly log: Log;
}

/**
 * Runtimes do not always come again. A strict refusal that is older than `escalate.age` becomes the daemon's own
 * debt by a timer, without a further call.
 */
export class StrictWatch {
  readonly #parts: StrictWatchParts;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #stopped = false;

  constructor(parts: StrictWatchParts) {
    this.#parts = parts;
  }

  /** Looks at what a DEL left with the runtime. */
  look(record: SandboxRecord, settled: readonly SettledAttachment[]): void {
    const policies = settled.flatMap((attachment) =>
      attachment.settled.filter(({ decision }) => decision === "returned").map(({ policy }) => policy.policy),
    );
    this.#forget(record);
    if (policies.length === 0) return;
    const ageMs = record.refusals === undefined ? 0 : elapsedMs(record.refusals.age, this.#parts.clock);
    this.#arm(record, Math.min(...policies.map(({ escalate }) => escalate.ageMs)) - ageMs);
  }

  /** Takes up a refusal of an earlier daemon. */
  resume(record: SandboxRecord): void {
    const dueInMs = this.#dueInMs(record);
    if (dueInMs !== undefined) this.#arm(record, dueInMs);
  }

  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
  }

  #arm(key: SandboxKey, delayMs: number): void {
    this.#forget(key);
    if (this.#stopped || !Number.isFinite(delayMs)) return;
    const timer = setTimeout(() => void this.#escalate(key), Math.min(Math.max(0, delayMs), maxTimerMs));
    timer.unref();
    this.#timers.set(describeSandbox(key), timer);
  }

  #forget(key: SandboxKey): void {
    clearTimeout(this.#timers.get(describeSandbox(key)));
    this.#timers.delete(describeSandbox(key));
  }

  async #escalate(key: SandboxKey): Promise<void> {
    const { turns, store, takeDown, log } = this.#parts;
    this.#timers.delete(describeSandbox(key));
    try {
      await turns.run(key.containerId, async () => {
        const stored = await store.load(key);
        if (stored.kind !== "entry" || stored.entry.state !== "deleting") return;
        const record = stored.entry;
        const dueInMs = this.#dueInMs(record);
        if (dueInMs === undefined) return;
        // The longest timer is 24 days, and a policy may have got another age meanwhile.
        if (dueInMs > 0) return this.#arm(key, dueInMs);
        const settled = await takeDown.run({
          record,
          responsibility: this.#responsibility(record),
          requestId: "escalation",
          netns: record.netns,
          deadline: Deadline.after(0),
          reason: "strict, and its runtime did not get it done in time",
          pluginsAfter: 0,
          mayRun: false,
        });
        // Networks with a longer age are still the runtime's.
        this.look(record, settled);
      });
    } catch (err) {
      log.error(
        { err, containerID: key.containerId },
        "strict deletion could not be handed over; tried again",
      );
      this.#arm(key, 5000);
    }
  }

  /** Until the first network of a refused sandbox is handed over; `undefined`: it was never refused. */
  #dueInMs({ refusals, attachments }: SandboxRecord): number | undefined {
    if (refusals === undefined || attachments.length === 0) return undefined;
    const ages = attachments.flatMap((attachment) =>
      owedIndexes(attachment).map((index) => this.#parts.policyOf(attachment, index).policy.escalate.ageMs),
    );
    return Math.min(...ages) - elapsedMs(refusals.age, this.#parts.clock);
  }

  #responsibility({ refusals }: SandboxRecord) {
    const refusedForMs = refusals === undefined ? 0 : elapsedMs(refusals.age, this.#parts.clock);
    return { of: "runtime", refusals: Math.max(1, refusals?.count ?? 0), refusedForMs } as const;
  }
}
