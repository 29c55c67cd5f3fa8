import { Failure } from "../../src/attachments/failure.ts";
import type { StrictMarkers } from "../../src/deletions/ports.ts";

/** Strict markers in memory. */
export class FakeStrictMarkers implements StrictMarkers {
  readonly marked = new Set<string>();
  #writeFailure: Failure | undefined;

  /** Every `set` and `clear` rejects until `allowWrites`. */
  failWrites(failure: Failure = new Failure("storage-failed", "the disk is full")): void {
    this.#writeFailure = failure;
  }

  allowWrites(): void {
    this.#writeFailure = undefined;
  }

  async set(containerId: string): Promise<void> {
    if (this.#writeFailure !== undefined) throw this.#writeFailure;
    this.marked.add(containerId);
  }

  async clear(containerId: string): Promise<void> {
    if (this.#writeFailure !== undefined) throw this.#writeFailure;
    this.marked.delete(containerId);
  }
}
