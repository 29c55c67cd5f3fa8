import type { Log } from "../attachments/instruments.ts";
import type { SandboxStore } from "../attachments/ports.ts";
import { describeSandbox } from "../attachments/sandbox.ts";
import type { SandboxRecord } from "../attachments/sandbox-record.ts";
import type { SandboxTurns } from "../attachments/sandbox-turns.ts";
import { delay } from "../foundation/abort.ts";
import { monotonicNs, nsToMs } from "../foundation/clock.ts";
import { type AssessParts, assessLeftover } from "./assess-leftover.ts";
import type { DeleteSandbox } from "./delete-sandbox.ts";

export interface CollectorParts extends AssessParts {
  readonly store: SandboxStore;
  readonly turns: SandboxTurns;
  readonly deleteSandbox: DeleteSandbox;
  readonly log: Log;
  /** A leftover is taken down only if it was one for so long. */
  readonly graceMs?: number;
}

const defaultGraceMs = 300_000;
const betweenRoundsMs = 60_000;
/** A round may take this share of the time: with hundreds of thousands of files rounds come rarely. */
const shareOfTime = 0.02;
/** After so many records others get their turn. */
const recordsAtOnce = 32;
const pauseMs = 20;
/** Leftovers whose grace runs; more of them come when these are gone. */
const maxCandidates = 10_000;

/**
 * Takes down what no live sandbox stands behind, in the background and slowly: an entry must be a leftover by two
 * sources in each round over its grace, and once more in its own turn.
 */
export class LeftoverCollector {
  readonly #parts: CollectorParts;
  /** When a leftover was first seen, by sandbox and generation. */
  #seenNs = new Map<string, bigint>();

  constructor(parts: CollectorParts) {
    this.#parts = parts;
  }

  /** Rounds until `signal` is aborted. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const sinceNs = monotonicNs();
      try {
        await this.round(signal);
      } catch (err) {
        if (!signal.aborted)
          this.#parts.log.warn({ err }, "leftovers could not be looked through; tried again");
      }
      const tookMs = nsToMs(monotonicNs() - sinceNs);
      await delay(Math.max(betweenRoundsMs, tookMs / shareOfTime), signal).catch(() => undefined);
    }
  }

  /** Looks at every record once; takes down those whose grace is over. */
  async round(signal: AbortSignal): Promise<void> {
    const seenNs = new Map<string, bigint>();
    let looked = 0;
    for await (const stored of this.#parts.store.list()) {
      if (signal.aborted) return;
      looked += 1;
      if (looked % recordsAtOnce === 0) await delay(pauseMs, signal);
      if (stored.kind !== "entry" || stored.entry.state !== "added") continue;
      const key = keyOf(stored.entry);
      if (!(await this.#isToBeDeleted(stored.entry))) continue;
      const firstNs = this.#seenNs.get(key) ?? monotonicNs();
      if (nsToMs(monotonicNs() - firstNs) >= (this.#parts.graceMs ?? defaultGraceMs))
        await this.#takeDown(stored.entry);
      else if (seenNs.size < maxCandidates) seenNs.set(key, firstNs);
    }
    this.#seenNs = seenNs;
  }

  /** Where it cannot be told, it is not. */
  async #isToBeDeleted(record: SandboxRecord): Promise<boolean> {
    if (this.#parts.turns.isBusy(record.containerId)) return false;
    try {
      return (await assessLeftover(this.#parts, record))?.action === "delete";
    } catch (err) {
      this.#parts.log.debug({ err, containerID: record.containerId }, "leftover could not be judged");
      return false;
    }
  }

  async #takeDown(found: SandboxRecord): Promise<void> {
    const { turns, store, deleteSandbox, log } = this.#parts;
    const about = { containerID: found.containerId, pod: found.pod };
    try {
      await turns.run(found.containerId, async () => {
        const stored = await store.load(found);
        if (stored.kind !== "entry" || stored.entry.state === "done") return;
        if (keyOf(stored.entry) !== keyOf(found)) return;
        const leftover = await assessLeftover(this.#parts, stored.entry);
        if (leftover?.action !== "delete") return;
        log.warn({ ...about, kind: leftover.kind }, "leftover of a sandbox that is gone is taken down");
        const reason = "no live sandbox stood behind its record, and its DEL failed";
        await deleteSandbox.undo(leftover.record, "leftovers", reason);
      });
    } catch (err) {
      log.warn({ err, ...about }, "leftover could not be taken down; tried again");
    }
  }
}

function keyOf(record: SandboxRecord): string {
  const { bootId, startNs } = record.generation;
  return `${describeSandbox(record)} ${bootId} ${startNs}`;
}
