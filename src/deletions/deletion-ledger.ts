import { elapsedMs } from "../attachments/age.ts";
import type { Instruments, Log } from "../attachments/instruments.ts";
import type { BootClock } from "../attachments/ports.ts";
import { KeyedQueue } from "../foundation/keyed-queue.ts";
import { type DeletionRecord, diedOfAge } from "./deletion-record.ts";
import { OldestAges, OwedIndex } from "./owed-index.ts";
import type { DeletionStore } from "./ports.ts";
import { owedIndexes } from "./run-attachment-deletion.ts";
import { SharedTexts } from "./share-texts.ts";

/** `tried`: it was tried just now, or put off; `found`: left by an earlier daemon; `revived`: a dead letter until now. */
export type OwedListener = (record: DeletionRecord, origin: "tried" | "found" | "revived") => void;

export interface LedgerParts {
  readonly store: DeletionStore;
  readonly instruments: Instruments;
  readonly clock: BootClock;
  /** How many dead letters are kept as records; beyond it the oldest go to the archive. */
  readonly maxDeadLetters: () => number;
  readonly log: Log;
}

/** All deletions that are owed: the store's content in memory, and who wants to know of new ones. */
export class DeletionLedger {
  readonly #records = new OwedIndex();
  readonly #ages = new OldestAges();
  readonly #texts = new SharedTexts();
  readonly #parts: LedgerParts;
  /** One write of a deletion at a time: an escalation and the end of a try may meet. */
  readonly #writes = new KeyedQueue();
  #onOwed: OwedListener = () => {};
  #loading: Promise<void> = Promise.resolve();
  /** Networks whose dead letters are being revived. */
  readonly #reviving = new Map<string, Promise<void>>();
  #archiving: Promise<void> | undefined;
  #isArchiveTroubled = false;

  constructor(parts: LedgerParts) {
    this.#parts = parts;
  }

  /** `listener` hears of each deletion that becomes owed, after it is durable, and of those that `load` finds. */
  whenOwed(listener: OwedListener): void {
    this.#onOwed = listener;
  }

  /** Reads what earlier daemons left. */
  async load(): Promise<void> {
    const loading = this.#loadAll();
    this.#loading = loading.catch(() => undefined);
    await loading;
  }

  /** Resolves when `load` has read what it can; at once before the call of it. */
  async whenLoaded(): Promise<void> {
    await this.#loading;
  }

  /**
   * Durable when it resolves. A deletion that is owed already keeps its history, and owes the new plugins as well.
   * @throws {Failure} `storage-failed`
   */
  async owe(records: readonly DeletionRecord[]): Promise<void> {
    if (records.length === 0) return;
    // Before that, what is on disk of the same deletion would be replaced instead of joined.
    await this.#loading;
    await Promise.all(records.map((record) => this.#writes.run(record.id, () => this.#owe(record))));
    this.#count();
  }

  /**
   * Replaces a deletion by what a try at `tried` made of it, or drops it where nothing is owed any more. What became
   * owed while the try was running stays owed; what was abandoned meanwhile stays abandoned.
   * @throws {Failure} `storage-failed`; a plugin that is done is then not run again by this daemon all the same
   */
  async conclude(tried: DeletionRecord, after: DeletionRecord): Promise<void> {
    await this.#writes.run(tried.id, async () => {
      const now = this.#records.get(tried.id);
      if (now === undefined) return;
      const before = owedIndexes(tried.attachment);
      const came = owedIndexes(now.attachment).filter((index) => !before.includes(index));
      const left = this.#texts.share(withOwed(after, [...owedIndexes(after.attachment), ...came]));
      const next = came.length > 0 ? pendingAgain(left) : left;
      this.#records.set(next);
      if (next.attachment.owed?.length === 0) await this.#drop(next.id);
      else await this.#parts.store.save(next);
    });
    this.#count();
    this.#archiveSoon();
  }

  /** The deletion is given up: it will not come again. */
  async close(id: string): Promise<void> {
    await this.#writes.run(id, () => this.#drop(id));
    this.#count();
  }

  find(id: string): DeletionRecord | undefined {
    return this.#records.get(id);
  }

  /** In the order in which they became owed here. */
  all(): readonly DeletionRecord[] {
    return this.#records.all();
  }

  ofSandbox(containerId: string): readonly DeletionRecord[] {
    return this.#records.ofSandbox(containerId);
  }

  /** A whole DEL of this network has just succeeded: what was given up over time becomes pending again. */
  networkWorked(network: string): void {
    if (this.#reviving.has(network)) return;
    const died = this.#records.deadOf(network).filter(diedOfAge);
    if (died.length === 0) return;
    const revival = this.#reviveAll(network, died).finally(() => this.#reviving.delete(network));
    this.#reviving.set(network, revival);
  }

  /** Says the ages anew, which grow while nothing happens. */
  refreshGauges(): void {
    this.#count();
  }

  /** Resolves when no dead letter is on its way to the archive or back to life. Never rejects. */
  async whenIdle(): Promise<void> {
    await Promise.all([this.#archiving, ...this.#reviving.values()]);
  }

  async #reviveAll(network: string, died: readonly DeletionRecord[]): Promise<void> {
    const { clock, log } = this.#parts;
    log.info({ network, deletions: died.length }, "network works again: its dead letters are tried again");
    try {
      for (const { id } of died) {
        await this.#writes.run(id, async () => {
          const now = this.#records.get(id);
          if (now === undefined || !diedOfAge(now)) return;
          const reason = `revived: its network works again (it was ${now.reason})`;
          const revived = { ...pendingAgain(now), lifeFromMs: elapsedMs(now.age, clock), reason };
          await this.#parts.store.save(revived);
          this.#records.set(revived);
          this.#onOwed(revived, "revived");
        });
      }
    } catch (err) {
      log.warn({ err, network }, "dead letters could not be revived; the network's next success tries again");
    }
    this.#count();
  }

  #archiveSoon(): void {
    if (this.#archiving !== undefined || this.#excess() <= 0) return;
    this.#archiving = this.#archiveExcess().finally(() => {
      this.#archiving = undefined;
    });
  }

  #excess(): number {
    return this.#records.count("dead") - this.#parts.maxDeadLetters();
  }

  async #archiveExcess(): Promise<void> {
    const { store, clock, log, instruments } = this.#parts;
    try {
      for (const { id, attachment } of this.#records.deadByAge(clock).slice(0, this.#excess())) {
        await this.#writes.run(id, async () => {
          const now = this.#records.get(id);
          if (now?.state !== "dead") return;
          await store.archive(now);
          this.#records.delete(id);
          instruments.deletionArchived(attachment.network);
          log.warn({ deletion: id, network: attachment.network }, "dead letter moved to the archive");
        });
      }
      this.#isArchiveTroubled = false;
    } catch (err) {
      // They stay as they are: more than the limit is better than one that is lost.
      if (!this.#isArchiveTroubled) log.error({ err }, "dead letters beyond the limit could not be archived");
      this.#isArchiveTroubled = true;
    }
    this.#count();
  }

  async #loadAll(): Promise<void> {
    for await (const record of this.#parts.store.list()) {
      const own = this.#texts.share(record);
      this.#records.set(own);
      this.#onOwed(own, "found");
    }
    this.#count();
    this.#archiveSoon();
  }

  async #owe(record: DeletionRecord): Promise<void> {
    const known = this.#records.get(record.id);
    const joined = known === undefined ? this.#texts.share(record) : join(known, record);
    await this.#parts.store.save(joined);
    this.#records.set(joined);
    if (known?.state !== joined.state) this.#onOwed(joined, "tried");
  }

  async #drop(id: string): Promise<void> {
    await this.#parts.store.remove(id);
    this.#records.delete(id);
  }

  #count(): void {
    const { instruments, clock } = this.#parts;
    const { pending, dead } = this.#ages.now(this.#records, clock);
    instruments.deletionsOwed(this.#records.countsByNetwork(), pending / 1000, dead / 1000);
  }
}

/** Not given up any more. */
function pendingAgain({ death: _death, ...record }: DeletionRecord): DeletionRecord {
  return { ...record, state: "pending" };
}

/** The same deletion, settled again: after a crash, or as more of its plugins have become the daemon's. */
function join(known: DeletionRecord, record: DeletionRecord): DeletionRecord {
  const before = owedIndexes(known.attachment);
  const more = owedIndexes(record.attachment).filter((index) => !before.includes(index));
  return more.length === 0 ? known : pendingAgain(withOwed(known, [...before, ...more]));
}

function withOwed(record: DeletionRecord, owed: readonly number[]): DeletionRecord {
  const attachment = { ...record.attachment, owed: [...new Set(owed)].sort((a, b) => a - b) };
  return { ...record, attachment };
}
