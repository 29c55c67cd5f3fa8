import { open, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../attachments/failure.ts";
import { KeyedQueue } from "../foundation/keyed-queue.ts";
import { isAbsent } from "./file-errors.ts";
import { storageFailure } from "./storage-failure.ts";

export interface ArchiveOptions {
  readonly directory: string;
  /** Syncs the directory itself: a file that is new or renamed is there after a power cut. */
  readonly syncDirectory: () => Promise<void>;
  readonly maxFileBytes?: number;
  /** Files of older lines beside `archive.jsonl`. */
  readonly maxFiles?: number;
}

/**
 * `archive.jsonl`: one JSON text a line, oldest first. A full file becomes `archive.1.jsonl`, that one
 * `archive.2.jsonl` and so on; once all are full nothing is taken any more, because nothing is dropped.
 */
export class DeadLetterArchive {
  readonly #options: Required<ArchiveOptions>;
  readonly #turns = new KeyedQueue();

  constructor(options: ArchiveOptions) {
    this.#options = { maxFileBytes: 16 * 1024 * 1024, maxFiles: 9, ...options };
  }

  /**
   * On disk when it resolves. A crash may leave the same line twice, or a cut-off line before it.
   * @throws {Failure} `storage-failed`
   */
  async append(entry: object): Promise<void> {
    const line = Buffer.from(`${JSON.stringify(entry)}\n`);
    await this.#turns.run("archive", async () => {
      try {
        await this.#makeRoom(line.length);
        await this.#write(line);
      } catch (error) {
        throw storageFailure("write", this.#file(0), error);
      }
    });
  }

  async #write(line: Buffer): Promise<void> {
    const handle = await open(this.#file(0), "a+", 0o600);
    try {
      const { size } = await handle.stat();
      const last = Buffer.alloc(1);
      if (size > 0) await handle.read(last, 0, 1, size - 1);
      const isCutOff = size > 0 && last.toString() !== "\n";
      await handle.appendFile(isCutOff ? Buffer.concat([Buffer.from("\n"), line]) : line);
      await handle.datasync();
      if (size === 0) await this.#options.syncDirectory();
    } finally {
      await handle.close();
    }
  }

  async #makeRoom(length: number): Promise<void> {
    const { maxFileBytes, maxFiles, syncDirectory } = this.#options;
    const size = await this.#size(0);
    if (size === 0 || size + length <= maxFileBytes) return;
    let free = 1;
    while ((await this.#size(free)) > 0) free += 1;
    if (free > maxFiles) {
      throw new Failure(
        "storage-failed",
        `the archive of dead letters is full: move ${this.#file(maxFiles)} and those beside it elsewhere`,
      );
    }
    for (let index = free; index > 0; index -= 1) await rename(this.#file(index - 1), this.#file(index));
    await syncDirectory();
  }

  async #size(index: number): Promise<number> {
    try {
      return (await stat(this.#file(index))).size;
    } catch (error) {
      if (isAbsent(error)) return 0;
      throw error;
    }
  }

  #file(index: number): string {
    return join(this.#options.directory, index === 0 ? "archive.jsonl" : `archive.${index}.jsonl`);
  }
}
