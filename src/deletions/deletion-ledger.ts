import { elapsedMs } from "../attachments/age.ts";
import type { Instruments } from "../attachments/instruments.ts";
import type { BootClock } from "../attachments/ports.ts";
import type { DeletionRecord } from "./deletion-record.ts";
import type { DeletionStore } from "./ports.ts";

/** All deletions that are owed: the store's content in memory, and who wants to know of new ones. */
export class DeletionLedger {
  readonly #records = new Map<string, DeletionRecord>();
  readonly #store: DeletionStore;
  readonly #instruments: Instruments;
  readonly #clock: BootClock;
  #onOwed: (record: DeletionRecord) => void = () => {};

  constructor(store: DeletionStore, instruments: Instruments, clock: BootClock) {
    this.#store = store;
    this.#instruments = instruments;
    this.#clock = clock;
  }

  /** `listener` hears of each deletion that becomes owed, after it is durable. */
  whenOwed(listener: (record: DeletionRecord) => void): void {
    this.#onOwed = listener;
  }

  /** Reads what earlier daemons left. */
  async load(): Promise<void> {
    for await (const record of this.#store.list()) {
      this.#records.set(record.id, record);
      this.#onOwed(record);
    }
    this.#count();
  }

  /**
   * Durable when it resolves. A deletion that is owed already keeps its history.
   * @throws {Failure} `storage-failed`
   */
  async owe(records: readonly DeletionRecord[]): Promise<void> {
    await Promise.all(records.map((record) => this.#store.save(this.#records.get(record.id) ?? record)));
    for (const record of records) {
      if (this.#records.has(record.id)) continue;
      this.#records.set(record.id, record);
      this.#onOwed(record);
    }
    if (records.length > 0) this.#count();
  }

  /** Replaces a deletion by what an attempt made of it. @throws {Failure} `storage-failed` */
  async update(record: DeletionRecord): Promise<void> {
    this.#records.set(record.id, record);
    this.#count();
    await this.#store.save(record);
  }

  /** The deletion is settled or given up: it will not come again. */
  async close(id: string): Promise<void> {
    await this.#store.remove(id);
    this.#records.delete(id);
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
