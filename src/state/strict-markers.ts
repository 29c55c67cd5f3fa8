import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { StrictMarkers } from "../deletions/ports.ts";
import type { DurableDirectory } from "./durable-directory.ts";
import { seal } from "./envelope.ts";
import { recordName } from "./record-name.ts";

/** `strict/<containerID>`, read by the shim; beside it the shim's own `<containerID>@refused`. */
export class StrictMarkerDirectory implements StrictMarkers {
  readonly #directory: DurableDirectory;
  /** Markers that are known to be on disk, so that a sandbox's second strict network writes nothing. */
  readonly #durable = new Set<string>();

  constructor(directory: DurableDirectory) {
    this.#directory = directory;
  }

  /** On disk when it resolves. @throws {Failure} `storage-failed` */
  async set(containerId: string): Promise<void> {
    const name = recordName(containerId);
    if (this.#durable.has(name) && (await isFile(join(this.#directory.path, name)))) return;
    await this.#directory.write(name, seal("multusd.strict", { containerId }));
    this.#durable.add(name);
  }

  async clear(containerId: string): Promise<void> {
    const name = recordName(containerId);
    this.#durable.delete(name);
    await Promise.all([this.#directory.remove(name), this.#directory.remove(`${name}@refused`)]);
  }

  /** Container IDs that have a marker, for whoever looks for those that nobody clears any more. */
  async *list(): AsyncIterable<string> {
    for await (const name of this.#directory.names()) if (!name.includes("@")) yield name;
  }
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isFile();
  } catch {
    // Then it is written, and the write says what is wrong.
    return false;
  }
}
