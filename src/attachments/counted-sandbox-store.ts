import type { Instruments } from "./instruments.ts";
import type { SandboxStore, StoredSandbox } from "./ports.ts";
import { describeSandbox, type SandboxKey } from "./sandbox.ts";
import type { SandboxEntry } from "./sandbox-record.ts";

/** A store that tells how many sandboxes have attachments now; earlier ones count once the store has been listed. */
export class CountedSandboxStore implements SandboxStore {
  readonly #store: SandboxStore;
  readonly #instruments: Instruments;
  readonly #known = new Set<string>();

  constructor(store: SandboxStore, instruments: Instruments) {
    this.#store = store;
    this.#instruments = instruments;
  }

  async load(key: SandboxKey): Promise<StoredSandbox> {
    return await this.#store.load(key);
  }

  async loadContainer(containerId: string): Promise<readonly SandboxEntry[]> {
    return await this.#store.loadContainer(containerId);
  }

  async save(entry: SandboxEntry): Promise<void> {
    await this.#store.save(entry);
    this.#note(entry);
  }

  async remove(key: SandboxKey): Promise<void> {
    await this.#store.remove(key);
    this.#known.delete(describeSandbox(key));
    this.#instruments.sandboxes(this.#known.size);
  }

  async *list(): AsyncIterable<StoredSandbox> {
    for await (const stored of this.#store.list()) {
      if (stored.kind === "entry") this.#note(stored.entry);
      yield stored;
    }
  }

  #note(entry: SandboxEntry): void {
    if (entry.state === "done") this.#known.delete(describeSandbox(entry));
    else this.#known.add(describeSandbox(entry));
    this.#instruments.sandboxes(this.#known.size);
  }
}
