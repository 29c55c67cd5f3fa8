import type { Instruments, Log } from "../attachments/instruments.ts";
import type { SandboxStore } from "../attachments/ports.ts";
import type { SandboxEntry, SandboxRecord } from "../attachments/sandbox-record.ts";
import type { SandboxTurns } from "../attachments/sandbox-turns.ts";
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

/** Roll backs beside each other; the request slots are for those who wait for an answer. */
const concurrentRollBacks = 4;

/**
 * Looks through the records of earlier daemons, after the socket is open: an ADD that nobody can have the result of
 * is rolled back at once, strict refusals get their timer again.
 */
export async function recoverSandboxes(parts: RecoveryParts): Promise<void> {
  const running = new Set<Promise<void>>();
  for await (const stored of parts.store.list()) {
    if (parts.signal.aborted) break;
    if (stored.kind !== "entry" || stored.entry.state === "done") continue;
    if (stored.entry.state === "deleting") parts.strictWatch.resume(stored.entry);
    if (stored.entry.state !== "adding") continue;
    while (running.size >= concurrentRollBacks) await Promise.race(running);
    const work = rollBack(parts, stored.entry).finally(() => running.delete(work));
    running.add(work);
  }
  await Promise.all(running);
}

async function rollBack(parts: RecoveryParts, found: SandboxRecord): Promise<void> {
  const { turns, store, deleteSandbox, log } = parts;
  try {
    await turns.run(found.containerId, async () => {
      const stored = await store.load(found);
      if (stored.kind !== "entry" || !isSameIntent(stored.entry, found)) return;
      log.info({ containerID: found.containerId, pod: found.pod }, "add of an earlier daemon is rolled back");
      await deleteSandbox.undo(found, "recovery");
    });
  } catch (err) {
    log.error({ err, containerID: found.containerId }, "add of an earlier daemon could not be rolled back");
  }
}

/** A request of this daemon may have been quicker. */
function isSameIntent(entry: SandboxEntry, found: SandboxRecord): boolean {
  return entry.state === "adding" && entry.generation.startNs === found.generation.startNs;
}
