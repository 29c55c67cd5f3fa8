import { Failure } from "../../src/attachments/failure.ts";
import type { SandboxStore, StoredSandbox } from "../../src/attachments/ports.ts";
import type { SandboxKey } from "../../src/attachments/sandbox.ts";
import type { SandboxEntry } from "../../src/attachments/sandbox-record.ts";

/** Sandbox records in memory. Keeps copies, so that a record cannot be changed behind the store's back. */
export class FakeSandboxStore implements SandboxStore {
  /** What was written, in order: `save adding c1/eth0`, `remove c1/eth0`. */
  readonly writes: string[] = [];
  readonly #containers = new Map<string, Map<string, SandboxEntry>>();
  readonly #unreadable = new Map<string, string>();
  #writeFailure: Failure | undefined;
  #readFailure: Failure | undefined;

  /** Makes the container's whole file unreadable until it is read once or written anew. */
  makeUnreadable(containerId: string, reason = "torn"): void {
    this.#containers.delete(containerId);
    this.#unreadable.set(containerId, reason);
  }

  /** Every `save` and `remove` rejects until `allowWrites`. */
  failWrites(failure: Failure = new Failure("storage-failed", "the disk is full")): void {
    this.#writeFailure = failure;
  }

  allowWrites(): void {
    this.#writeFailure = undefined;
  }

  /** Every read rejects until `allowReads`. */
  failReads(failure: Failure = new Failure("storage-failed", "the disk fails")): void {
    this.#readFailure = failure;
  }

  allowReads(): void {
    this.#readFailure = undefined;
  }

  /** All entries, for assertions. */
  entries(): readonly SandboxEntry[] {
    return [...this.#containers.values()].flatMap((entries) => [...entries.values()]);
  }

  async load(key: SandboxKey): Promise<StoredSandbox> {
    const unreadable = this.#takeUnreadable(key.containerId);
    if (unreadable !== undefined) return unreadable;
    const entry = this.#containers.get(key.containerId)?.get(key.ifName);
    return entry === undefined ? { kind: "missing" } : { kind: "entry", entry: structuredClone(entry) };
  }

  async loadContainer(containerId: string): Promise<readonly SandboxEntry[]> {
    this.#takeUnreadable(containerId);
    return structuredClone([...(this.#containers.get(containerId)?.values() ?? [])]);
  }

  async save(entry: SandboxEntry): Promise<void> {
    if (this.#writeFailure !== undefined) throw this.#writeFailure;
    this.writes.push(`save ${entry.state} ${entry.containerId}/${entry.ifName}`);
    this.#unreadable.delete(entry.containerId);
    const entries = this.#containers.get(entry.containerId) ?? new Map<string, SandboxEntry>();
    entries.set(entry.ifName, structuredClone(entry));
    this.#containers.set(entry.containerId, entries);
  }

  async remove(key: SandboxKey): Promise<void> {
    if (this.#writeFailure !== undefined) throw this.#writeFailure;
    this.writes.push(`remove ${key.containerId}/${key.ifName}`);
    this.#unreadable.delete(key.containerId);
    const entries = this.#containers.get(key.containerId);
    entries?.delete(key.ifName);
    if (entries?.size === 0) this.#containers.delete(key.containerId);
  }

  async *list(): AsyncIterable<StoredSandbox> {
    for (const containerId of [...this.#containers.keys(), ...this.#unreadable.keys()]) {
      const unreadable = this.#takeUnreadable(containerId);
      if (unreadable !== undefined) yield unreadable;
      for (const entry of this.#containers.get(containerId)?.values() ?? []) {
        yield { kind: "entry", entry: structuredClone(entry) };
      }
    }
  }

  #takeUnreadable(containerId: string): StoredSandbox | undefined {
    if (this.#readFailure !== undefined) throw this.#readFailure;
    const reason = this.#unreadable.get(containerId);
    if (reason === undefined) return undefined;
    this.#unreadable.delete(containerId);
    return { kind: "unreadable", reason, quarantined: `quarantine/sandbox-${containerId}` };
  }
}
