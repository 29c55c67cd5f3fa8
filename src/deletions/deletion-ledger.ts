import { elapsedMs } from "../attachments/age.ts";
import type { Instruments } from "../attachments/instruments.ts";
import type { BootClock } from "../attachments/ports.ts";
import { KeyedQueue } from "../foundation/keyed-queue.ts";
import type { DeletionRecord } from "./deletion-record.ts";
import type { DeletionStore } from "./ports.ts";
import { owedIndexes } from "./run-attachment-deletion.ts";

/** `tried`: it was tried just now, or put off; `found`: left by an earlier daemon. */
export type OwedListener = (record: DeletionRecord, origin: "tried" | "found") => void;

/** All deletions that are owed: the store's content in memory, and who wants to know of new ones. */
export class DeletionLedger {
  readonly #records = new Map<string, DeletionRecord>();
  readonly #store: DeletionStore;
  readonly #instruments: Instruments;
  readonly #clock: BootClock;
  /** One write of a deletion at a time: an escalation and the end of a try may meet. */
  readonly #writes = new KeyedQueue();
  #onOwed: OwedListener = () => {};
  #loading: Promise<void> = Promise.resolve();

  constructor(store: DeletionStore, instruments: Instruments, clock: BootClock) {
    this.#store = store;
    this.#instruments = instruments;
    this.#clock = clock;
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
      const left = withOwed(after, [...owedIndexes(after.attachment), ...came]);
      this.#records.set(left.id, came.length > 0 ? { ...left, state: "pending" } : left);
      if (left.attachment.owed?.length === 0) await this.#drop(left.id);
      else await this.#store.save(this.#records.get(left.id) ?? left);
    });
    this.#count();
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
    return [...this.#records.values()];
  }

  ofSandbox(containerId: string): readonly DeletionRecord[] {
    return this.all().filter((record) => record.sandbox === containerId);
  }

  async #loadAll(): Promise<void> {
    for await (const record of this.#store.list()) {
      this.#records.set(record.id, record);
      this.#onOwed(record, "found");
    }
    this.#count();
  }

  async #owe(record: DeletionRecord): Promise<void> {
    const known = this.#records.get(record.id);
    const joined = known === undefined ? record : join(known, record);
    await this.#store.save(joined);
    this.#records.set(record.id, joined);
    if (known?.state !== joined.state) this.#onOwed(joined, "tried");
  }

  async #drop(id: string): Promise<void> {
    await this.#store.remove(id);
    this.#records.delete(id);
  }

  #count(): void {
    const counts = new Map<string, { network: string; state: "pending" | "dead"; count: number }>();
    let oldestMs = 0;
    for (const { attachment, state, age } of this.#records.values()) {
      const key = `${attachment.network}\0${state}`;
      const entry = counts.get(key) ?? { network: attachment.network, state, count: 0 };
      entry.count += 1;
      counts.set(key, entry);
      if (state === "pending") oldestMs = Math.max(oldestMs, elapsedMs(age, this.#clock));
    }
    this.#instruments.deletionsOwed([...counts.values()], oldestMs / 1000);
  }
}

/** The same deletion, settled again: after a crash, or as more of its plugins have become the daemon's. */
function join(known: DeletionRecord, record: DeletionRecord): DeletionRecord {
  const before = owedIndexes(known.attachment);
  const more = owedIndexes(record.attachment).filter((index) => !before.includes(index));
  return more.length === 0 ? known : { ...withOwed(known, [...before, ...more]), state: "pending" };
}

function withOwed(record: DeletionRecord, owed: readonly number[]): DeletionRecord {
  const attachment = { ...record.attachment, owed: [...new Set(owed)].sort((a, b) => a - b) };
  return { ...record, attachment };
}
