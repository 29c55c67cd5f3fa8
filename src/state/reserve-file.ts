import { randomBytes } from "node:crypto";
import { stat, statfs, unlink } from "node:fs/promises";
import { join } from "node:path";
import { DurableDirectory, type Reserve } from "./durable-directory.ts";
import { isAbsent } from "./file-errors.ts";
import { syncDirectory } from "./sync-directory.ts";

export interface ReserveFileOptions {
  readonly stateDir: string;
  /** Told of a reserve given up, made again, or that could not be made. */
  readonly onChange: (state: "given-up" | "made" | "failed", error?: unknown) => void;
  readonly bytes?: number;
  readonly retryMs?: number;
}

/**
 * `<stateDir>/reserve`: space that is freed when the disk is full, so that deletions and marks can still be written.
 * Made again once there is much more room than it takes.
 */
export class ReserveFile implements Reserve {
  readonly #options: ReserveFileOptions;
  readonly #bytes: number;
  readonly #directory: DurableDirectory;
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<unknown> = Promise.resolve();

  constructor(options: ReserveFileOptions) {
    this.#options = options;
    this.#bytes = options.bytes ?? 4 * 1024 * 1024;
    this.#directory = new DurableDirectory(options.stateDir);
  }

  /** Makes it in the background, now and whenever it has been given up. */
  start(): void {
    this.#timer = setInterval(() => this.make(), this.#options.retryMs ?? 60_000);
    this.#timer.unref();
    this.make();
  }

  /** Never rejects; resolves with whether it is there. */
  make(): Promise<boolean> {
    return this.#inTurn(() => this.#make());
  }

  async giveUp(): Promise<void> {
    await this.#inTurn(() => this.#giveUp());
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#working;
    await this.#directory.close();
  }

  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const turn = this.#working.then(task);
    this.#working = turn;
    return turn;
  }

  async #make(): Promise<boolean> {
    try {
      if (await this.#isWhole()) return true;
      const { bavail, bsize } = await statfs(this.#options.stateDir);
      if (bavail * bsize < this.#bytes * roomFactor) return false;
      // Noise, because a file system that compresses would keep nothing back for zeros.
      await this.#directory.write(fileName, randomBytes(this.#bytes));
      this.#options.onChange("made");
      return true;
    } catch (error) {
      this.#options.onChange("failed", error);
      return false;
    }
  }

  async #giveUp(): Promise<void> {
    try {
      await unlink(join(this.#options.stateDir, fileName));
      // Some file systems hand freed blocks out only after the removal itself is on disk.
      await syncDirectory(this.#options.stateDir);
      this.#options.onChange("given-up");
    } catch (error) {
      if (!isAbsent(error)) this.#options.onChange("failed", error);
    }
  }

  async #isWhole(): Promise<boolean> {
    try {
      return (await stat(join(this.#options.stateDir, fileName))).size >= this.#bytes;
    } catch (error) {
      if (isAbsent(error)) return false;
      throw error;
    }
  }
}

const fileName = "reserve";
/** Below this many times its size in free space the reserve would only take the room it was given up for. */
const roomFactor = 4;
