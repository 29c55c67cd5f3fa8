import { elapsedMs } from "../attachments/age.ts";
import type { BootClock, SandboxStore } from "../attachments/ports.ts";
import type { SandboxKey } from "../attachments/sandbox.ts";
import type { DoneMark } from "../attachments/sandbox-record.ts";
import { delay } from "../foundation/abort.ts";
import { nsToMs } from "../foundation/clock.ts";

export interface MarkSweep {
  readonly store: SandboxStore;
  readonly clock: BootClock;
  /** Runs a task in the turn of a container's requests: a mark must not go while an ADD replaces it. */
  readonly inTurn: (containerId: string, task: () => Promise<void>) => Promise<void>;
  readonly maxAgeMs?: number;
  readonly maxMarks?: number;
  /** Rest after each hundred files that were read and after each mark that was dropped. */
  readonly restMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Drops the marks of DELs that are done once they are older than a day, and the oldest beyond 10 000. A runtime whose
 * DEL comes still later finds no record, and takes the way of a sandbox that nobody knows.
 * @returns how many were dropped
 */
export async function sweepMarks(sweep: MarkSweep): Promise<number> {
  const { store, clock, inTurn, maxAgeMs = 86_400_000, maxMarks = 10_000, restMs = 20, signal } = sweep;
  const marks = await collectMarks(store, clock, restMs, signal);
  const byAge = marks.sort((left, right) => left.ageMs - right.ageMs);
  const tooMany = byAge.slice(maxMarks);
  const tooOld = byAge.slice(0, maxMarks).filter(({ ageMs }) => ageMs > maxAgeMs);
  let dropped = 0;
  for (const mark of [...tooMany, ...tooOld]) {
    await inTurn(mark.key.containerId, async () => {
      if (!(await isStillThere(store, mark))) return;
      await store.remove(mark.key);
      dropped += 1;
    });
    await delay(restMs, signal);
  }
  return dropped;
}

interface FoundMark {
  readonly key: SandboxKey;
  readonly generation: DoneMark["generation"];
  readonly ageMs: number;
}

async function collectMarks(
  store: SandboxStore,
  clock: BootClock,
  restMs: number,
  signal: AbortSignal | undefined,
): Promise<FoundMark[]> {
  const marks: FoundMark[] = [];
  let read = 0;
  for await (const stored of store.list()) {
    read += 1;
    if (read % 100 === 0) await delay(restMs, signal);
    if (stored.kind !== "entry" || stored.entry.state !== "done") continue;
    const { containerId, ifName, generation } = stored.entry;
    marks.push({ key: { containerId, ifName }, generation, ageMs: markAgeMs(stored.entry, clock) });
  }
  return marks;
}

/** To a mark of an earlier boot the present one adds all of its own time, which began at zero. */
function markAgeMs(mark: DoneMark, clock: BootClock): number {
  const ageMs = elapsedMs(mark.age, clock);
  return mark.age.bootId === clock.bootId ? ageMs : ageMs + nsToMs(clock.nowNs());
}

async function isStillThere(store: SandboxStore, mark: FoundMark): Promise<boolean> {
  const stored = await store.load(mark.key);
  if (stored.kind !== "entry" || stored.entry.state !== "done") return false;
  const { bootId, startNs } = stored.entry.generation;
  return bootId === mark.generation.bootId && startNs === mark.generation.startNs;
}
