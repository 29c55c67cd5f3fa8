import type { AttachmentRecord } from "../attachments/sandbox-record.ts";
import type { DeletionRecord } from "./deletion-record.ts";

/** Beyond a node's networks; what is not remembered is only held twice. */
const maxShared = 512;

/** Lets deletions share what is the same in all of a network, so that ten thousand hold its configuration once. */
export class SharedTexts {
  readonly #known = new Map<string, unknown>();

  share(record: DeletionRecord): DeletionRecord {
    const { attachment } = record;
    const shared: AttachmentRecord = {
      ...attachment,
      network: this.#same(attachment.network),
      listName: this.#same(attachment.listName),
      config: this.#same(attachment.config),
      searchPath: this.#same(attachment.searchPath),
      capabilityArgs: this.#same(attachment.capabilityArgs),
      policy: this.#same(attachment.policy),
      ...(attachment.owed === undefined ? {} : { owed: this.#same(attachment.owed) }),
      ...(attachment.lastError === undefined ? {} : { lastError: this.#same(attachment.lastError) }),
    };
    const { lastError } = record;
    return {
      ...record,
      attachment: shared,
      attempts: record.attempts.map((attempt) =>
        attempt.error === undefined ? attempt : { ...attempt, error: this.#same(attempt.error) },
      ),
      reason: this.#same(record.reason),
      ...(lastError === undefined ? {} : { lastError: this.#same(lastError) }),
    };
  }

  #same<T>(value: T): T {
    const key = typeof value === "string" ? value : JSON.stringify(value);
    const known = this.#known.get(key);
    if (known !== undefined && typeof known === typeof value) return known as T;
    if (this.#known.size >= maxShared) this.#known.clear();
    this.#known.set(key, value);
    return value;
  }
}
