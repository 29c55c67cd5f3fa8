import type { Instruments, Log } from "../attachments/instruments.ts";
import type { SandboxStore } from "../attachments/ports.ts";
import type { SandboxEntry, SandboxRecord } from "../attachments/sandbox-record.ts";
import type { SandboxTurns } from "../attachments/sandbox-turns.ts";
import { delay } from "../foundation/abort.ts";
import type { DeleteSandbox } from "./delete-sandbox.ts";
import type { StrictWatch } from "./strict-watch.ts";

export interface RecoveryParts {
  readonly store: SandboxStore;
  readonly turns: SandboxTurns;
  readonly deleteSandbox: DeleteSandbox;
  readonly strictWatch: StrictWatch;
  readonly instruments: Instruments;
  readonly log: Log;
  /** Aborted when the daemon stops. */
  readonly signal: AbortSignal;
}

/** Requests come between: hundreds of thousands of records may lie there. */
const recordsAtOnce = 32;
const pauseMs = 5;

/** Roll backs beside each other; the request slots are for those who wait for an answer. */
const concurrentRollBacks = 4;

/**
 * Looks through the records of earlier daemons, after the socket is open: an ADD that nobody can have the result of
 * is rolled back at once, a DEL that was cut off is finished, strict refusals get their timer again.
 */
export async function recoverSandboxes(parts: RecoveryParts): Promise<void> {
  const running = new Set<Promise<void>>();
  let looked = 0;
  for await (const stored of parts.store.list()) {
    looked += 1;
    if (looked % recordsAtOnce === 0) await delay(pauseMs, parts.signal).catch(() => undefined);
    if (parts.signal.aborted) break;
    if (stored.kind !== "entry" || stored.entry.state === "done") continue;
    if (stored.entry.state === "deleting") parts.strictWatch.resume(stored.entry);
    if (!isCutOff(stored.entry)) continue;
    while (running.size >= concurrentRollBacks) await Promise.race(running);
    const work = takeUp(parts, stored.entry).finally(() => running.delete(work));
    running.add(work);
  }
  await Promise.all(running);
}

async function takeUp(parts: RecoveryParts, found: SandboxRecord): Promise<void> {
  const { turns, store, deleteSandbox, log } = parts;
  const about = { containerID: found.containerId, pod: found.pod };
  try {
    await turns.run(found.containerId, async () => {
      const stored = await store.load(found);
      if (stored.kind !== "entry" || !isCutOff(stored.entry) || !isSameLife(stored.entry, found)) return;
      if (stored.entry.state === "adding") {
        log.info(about, "add of an earlier daemon is rolled back");
        await deleteSandbox.undo(stored.entry, "recovery");
      } else {
        log.info(about, "deletion that an earlier daemon began is finished");
        await deleteSandbox.resume(stored.entry);
      }
    });
  } catch (err) {
    log.error({ err, ...about }, "work that an earlier daemon began could not be finished");
  }
}

/** Begun and never answered: no refusal of its DEL is written down, so nobody can be relied upon to come again. */
function isCutOff(entry: SandboxEntry): entry is SandboxRecord {
  if (entry.state === "adding") return true;
  return entry.state === "deleting" && entry.refusals === undefined;
}

/** A request of this daemon may have been quicker. */
function isSameLife(entry: SandboxRecord, { generation }: SandboxRecord): boolean {
  return entry.generation.bootId === generation.bootId && entry.generation.startNs === generation.startNs;
}
