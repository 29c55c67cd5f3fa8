import { join } from "node:path";
import type { Generation } from "../attachments/sandbox.ts";
import type { DurableDirectory } from "./durable-directory.ts";
import { readIfChanged } from "./read-bounded-file.ts";

/**
 * `spool/.<entry>.tries` beside an entry that is being worked on: how often that began and did not end. Shims and
 * readers of the spool pass over names with a dot.
 */
export class SpoolTries {
  readonly #directory: DurableDirectory;

  constructor(directory: DurableDirectory) {
    this.#directory = directory;
  }

  /** On disk when it resolves. @throws {Failure} `storage-failed` */
  async begin(name: string, generation: Generation): Promise<void> {
    const { bootId, startNs } = generation;
    const count = (await this.count(name, generation)) + 1;
    const text = `${JSON.stringify({ bootId, startNs, count })}\n`;
    await this.#directory.write(fileOf(name), Buffer.from(text), { mayUseReserve: true });
  }

  /** @throws {Failure} `storage-failed` */
  async end(name: string): Promise<void> {
    await this.#directory.remove(fileOf(name));
  }

  /** Begun and not ended. What cannot be read counts for nothing: the entry is then worked on once more than needed. */
  async count(name: string, { bootId, startNs }: Generation): Promise<number> {
    try {
      const content = await readIfChanged(join(this.#directory.path, fileOf(name)), undefined);
      if (content.kind !== "bytes") return 0;
      const found = JSON.parse(content.bytes.toString()) as Record<string, unknown> | null;
      if (found?.["bootId"] !== bootId || found["startNs"] !== startNs) return 0;
      const { count } = found;
      return typeof count === "number" && Number.isSafeInteger(count) && count > 0 ? count : 0;
    } catch {
      return 0;
    }
  }
}

function fileOf(name: string): string {
  return `.${name}.tries`;
}
