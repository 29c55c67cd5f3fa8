import { Failure } from "../../src/attachments/failure.ts";
import type { DeletionRecord } from "../../src/deletions/deletion-record.ts";
import type { DeletionStore } from "../../src/deletions/ports.ts";

/** Owed deletions in memory. */
export class FakeDeletionStore implements DeletionStore {
  /** What was written, in order: `save pending d1`, `remove d1`. */
  readonly writes: string[] = [];
  /** Dead letters that went to the archive. */
  readonly archived: DeletionRecord[] = [];
  readonly #records = new Map<string, DeletionRecord>();
  #writeFailure: Failure | undefined;

  /** Every `save` and `remove` rejects until `allowWrites`. */
  failWrites(failure: Failure = new Failure("storage-failed", "the disk is full")): void {
    this.#writeFailure = failure;
  }

  allowWrites(): void {
    this.#writeFailure = undefined;
  }

  /** The record that `list` would give, for assertions. */
  find(id: string): DeletionRecord | undefined {
    return structuredClone(this.#records.get(id));
  }

  /** All records, for assertions. */
  records(): readonly DeletionRecord[] {
    return structuredClone([...this.#records.values()]);
  }

  async save(record: DeletionRecord): Promise<void> {
    if (this.#writeFailure !== undefined) throw this.#writeFailure;
    this.writes.push(`save ${record.state} ${record.id}`);
    this.#records.set(record.id, structuredClone(record));
  }

  async remove(id: string): Promise<void> {
    if (this.#writeFailure !== undefined) throw this.#writeFailure;
    this.writes.push(`remove ${id}`);
    this.#records.delete(id);
  }

  async archive(record: DeletionRecord): Promise<void> {
    if (this.#writeFailure !== undefined) throw this.#writeFailure;
    this.archived.push(structuredClone(record));
    this.#records.delete(record.id);
  }

  async *list(): AsyncIterable<DeletionRecord> {
    yield* this.records();
  }
}
