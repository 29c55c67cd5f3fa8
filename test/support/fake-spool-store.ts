import type { Generation } from "../../src/attachments/sandbox.ts";
import type { SpooledDeletion, SpoolSource } from "../../src/deletions/ports.ts";

/** A spool in memory; `put` plays the shim. */
export class FakeSpoolSource implements SpoolSource {
  readonly #entries = new Map<string, SpooledDeletion>();
  readonly #tries = new Map<string, number>();
  readonly #watchers = new Set<() => void>();

  /** Puts an entry and tells the watchers. */
  put(entry: SpooledDeletion): void {
    this.#entries.set(entry.name, structuredClone(entry));
    for (const changed of this.#watchers) changed();
  }

  names(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /** In the order of their coming; a test puts them oldest first. */
  async list(): Promise<readonly SpooledDeletion[]> {
    return structuredClone([...this.#entries.values()]);
  }

  async listOf(containerId: string): Promise<readonly SpooledDeletion[]> {
    return (await this.list()).filter(({ env }) => env["CNI_CONTAINERID"] === containerId);
  }

  async remove(name: string, generation?: Generation): Promise<void> {
    const found = this.#entries.get(name)?.generation;
    if (generation !== undefined && found?.startNs !== generation.startNs) return;
    this.#entries.delete(name);
    if (found !== undefined) this.#tries.delete(`${name} ${generation?.bootId} ${found.startNs}`);
  }

  async count(): Promise<number> {
    return this.#entries.size;
  }

  async crashesOf({ name, generation: { bootId, startNs } }: SpooledDeletion): Promise<number> {
    return this.#tries.get(`${name} ${bootId} ${startNs}`) ?? 0;
  }

  async begin(entry: SpooledDeletion): Promise<void> {
    const { bootId, startNs } = entry.generation;
    this.#tries.set(`${entry.name} ${bootId} ${startNs}`, (await this.crashesOf(entry)) + 1);
  }

  async letGo({ name, generation: { bootId, startNs } }: SpooledDeletion): Promise<void> {
    this.#tries.delete(`${name} ${bootId} ${startNs}`);
  }

  async watch(changed: () => void): Promise<{ stop(): Promise<void> }> {
    // A function of its own for each watch, so that one watcher that is given twice is told twice and stopped once.
    const tell = () => changed();
    this.#watchers.add(tell);
    return { stop: async () => void this.#watchers.delete(tell) };
  }
}
