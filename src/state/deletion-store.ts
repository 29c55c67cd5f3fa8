import type { DeletionRecord } from "../deletions/deletion-record.ts";
import type { DeletionStore } from "../deletions/ports.ts";
import { DeadLetterArchive } from "./dead-letter-archive.ts";
import { ShapeError } from "./decode.ts";
import { deletionRecord } from "./decode-deletion.ts";
import type { DurableDirectory } from "./durable-directory.ts";
import type { Quarantine } from "./quarantine.ts";
import { RecordFiles } from "./record-files.ts";
import { recordName } from "./record-name.ts";

/** `deletions/<id>.json`. May use the reserve: what is owed must be written down most of all when the disk is full. */
export class FileDeletionStore implements DeletionStore {
  readonly #files: RecordFiles<DeletionRecord>;
  readonly #archive: DeadLetterArchive;

  constructor(directory: DurableDirectory, quarantine: Quarantine) {
    this.#archive = new DeadLetterArchive({
      directory: directory.path,
      syncDirectory: () => directory.sync(),
    });
    this.#files = new RecordFiles({
      directory,
      quarantine,
      kind: "multusd.deletion",
      corruptKind: "deletion",
      decode: ownDeletion,
    });
  }

  async save(record: DeletionRecord): Promise<void> {
    await this.#files.write(fileOf(record.id), record, { mayUseReserve: true });
  }

  async remove(id: string): Promise<void> {
    await this.#files.remove(fileOf(id));
  }

  /** A line of `deletions/archive.jsonl`, then the file goes. */
  async archive(record: DeletionRecord): Promise<void> {
    await this.#archive.append({ ...record, archived: new Date().toISOString() });
    await this.remove(record.id);
  }

  async *list(): AsyncIterable<DeletionRecord> {
    for await (const name of this.#files.names()) {
      const stored = await this.#files.read(name);
      if (stored.kind === "record") yield stored.record;
    }
  }
}

function fileOf(id: string): string {
  return recordName(id, ".json");
}

function ownDeletion(body: unknown, fileName: string): DeletionRecord {
  const record = deletionRecord(body, "");
  // A copy under another name would be done again after the first one is settled.
  if (fileOf(record.id) !== fileName) throw new ShapeError("id", "the one of this file");
  return record;
}
