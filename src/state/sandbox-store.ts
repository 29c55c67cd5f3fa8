import type { SandboxStore, StoredSandbox } from "../attachments/ports.ts";
import type { SandboxKey } from "../attachments/sandbox.ts";
import type { SandboxEntry } from "../attachments/sandbox-record.ts";
import { Fields, listOf, ShapeError, text } from "./decode.ts";
import { sandboxEntry } from "./decode-sandbox.ts";
import type { DurableDirectory } from "./durable-directory.ts";
import type { Quarantine } from "./quarantine.ts";
import { RecordFiles } from "./record-files.ts";
import { recordName } from "./record-name.ts";

/**
 * `sandboxes/<containerID>.json`. One instance a directory, and the state directory's lock held: it relies on being
 * the only writer. Whoever saves or removes holds the sandbox's turn.
 */
export class FileSandboxStore implements SandboxStore {
  readonly #files: RecordFiles<readonly SandboxEntry[]>;
  /**
   * Containers whose file this instance wrote last, with this one interface in it. Saving the same interface again
   * then needs no look at the file: whatever was done to it since, all that it may lose is the entry that is replaced.
   */
  readonly #onlyInterface = new Map<string, string>();

  constructor(directory: DurableDirectory, quarantine: Quarantine) {
    this.#files = new RecordFiles({
      directory,
      quarantine,
      kind: "multusd.sandbox",
      corruptKind: "sandbox",
      decode: containerEntries,
    });
  }

  async load(key: SandboxKey): Promise<StoredSandbox> {
    const stored = await this.#files.read(fileOf(key.containerId));
    if (stored.kind !== "record") return stored;
    const entry = stored.record.find(({ ifName }) => ifName === key.ifName);
    return entry === undefined ? { kind: "missing" } : { kind: "entry", entry };
  }

  async loadContainer(containerId: string): Promise<readonly SandboxEntry[]> {
    const stored = await this.#files.read(fileOf(containerId));
    return stored.kind === "record" ? stored.record : [];
  }

  async save(entry: SandboxEntry): Promise<void> {
    const entries = [...(await this.#others(entry)), entry];
    // An ADD is refused while the disk is full; what a DEL has to write down is what the reserve is for.
    const mayUseReserve = entry.state === "deleting" || entry.state === "done";
    await this.#write(entry.containerId, entries, mayUseReserve);
  }

  async remove(key: SandboxKey): Promise<void> {
    const others = await this.#others(key);
    if (others.length > 0) {
      await this.#write(key.containerId, others, true);
      return;
    }
    this.#onlyInterface.delete(key.containerId);
    await this.#files.remove(fileOf(key.containerId));
  }

  async *list(): AsyncIterable<StoredSandbox> {
    for await (const name of this.#files.names()) {
      const stored = await this.#files.read(name);
      if (stored.kind === "unreadable") yield stored;
      if (stored.kind === "record") for (const entry of stored.record) yield { kind: "entry", entry };
    }
  }

  async #others(key: SandboxKey): Promise<readonly SandboxEntry[]> {
    if (this.#onlyInterface.get(key.containerId) === key.ifName) return [];
    return (await this.loadContainer(key.containerId)).filter(({ ifName }) => ifName !== key.ifName);
  }

  async #write(containerId: string, entries: readonly SandboxEntry[], mayUseReserve: boolean): Promise<void> {
    // Forgotten before the write: if that fails, nobody knows which of the two files is on disk.
    this.#onlyInterface.delete(containerId);
    await this.#files.write(fileOf(containerId), { containerId, entries }, { mayUseReserve });
    const [first, ...more] = entries;
    if (first === undefined || more.length > 0) return;
    if (this.#onlyInterface.size >= maxRemembered) this.#onlyInterface.clear();
    this.#onlyInterface.set(containerId, first.ifName);
  }
}

/** Far beyond a node's sandboxes and marks; only what would otherwise grow for ever meets it. */
const maxRemembered = 20_000;

function fileOf(containerId: string): string {
  return recordName(containerId, ".json");
}

function containerEntries(body: unknown, fileName: string): readonly SandboxEntry[] {
  const fields = new Fields(body, "");
  const containerId = fields.need("containerId", text);
  if (fileOf(containerId) !== fileName) throw new ShapeError("containerId", "the one of this file");
  const entries = fields.need("entries", listOf(sandboxEntry));
  if (entries.some((entry) => entry.containerId !== containerId)) {
    throw new ShapeError("entries", "all of one container");
  }
  return entries;
}
