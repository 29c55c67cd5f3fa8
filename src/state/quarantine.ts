import { lstat, mkdir, readdir, rename, rmdir, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Instruments } from "../attachments/instruments.ts";
import { errnoCode } from "../foundation/passing-error.ts";

export type CorruptKind = Parameters<Instruments["stateCorrupt"]>[0];

/** A file that could not be read, for log and counter. */
export interface CorruptFile {
  readonly kind: CorruptKind;
  readonly file: string;
  readonly reason: string;
  /** Where it is now; absent: it could not be moved (`cause`) and still stands where it was. */
  readonly quarantined?: string;
  readonly cause?: unknown;
}

export type OnCorrupt = (found: CorruptFile) => void;

/**
 * Where unreadable files go, so that they neither disturb again nor are lost to whoever wants to know what happened.
 * They are moved, never copied: that needs no space. Nothing here ever rejects, because a DEL must not fail over it.
 */
export class Quarantine {
  readonly #directory: string;
  readonly #onCorrupt: OnCorrupt;
  readonly #maxEntries: number;
  #moved = 0;
  #pruning: Promise<void> = Promise.resolve();

  constructor(directory: string, onCorrupt: OnCorrupt, maxEntries = 1000) {
    this.#directory = directory;
    this.#onCorrupt = onCorrupt;
    this.#maxEntries = maxEntries;
  }

  /**
   * Moves what stands at `file`, a directory too, and reports it.
   * @returns where it is now: `file` itself if it could not be moved
   */
  async take(file: string, kind: CorruptKind, reason: string): Promise<string> {
    try {
      const quarantined = await this.#move(file, kind);
      this.#onCorrupt({ kind, file, reason, quarantined });
      this.#pruning = this.#pruning.then(() => this.#prune());
      return quarantined;
    } catch (cause) {
      this.#onCorrupt({ kind, file, reason, cause });
      return file;
    }
  }

  /** Resolves when what was taken has been made room for. */
  async waitIdle(): Promise<void> {
    await this.#pruning;
  }

  async #move(file: string, kind: CorruptKind): Promise<string> {
    const name = `${kind}-${basename(file).slice(0, 160)}`;
    const target = await this.#freePath(this.#directory, name);
    try {
      await rename(file, target);
      return target;
    } catch (error) {
      if (errnoCode(error) === "ENOENT" && (await makeMissing(this.#directory))) {
        await rename(file, target);
        return target;
      }
      if (errnoCode(error) !== "EXDEV") throw error;
    }
    // Upstream's files may lie on another file system: put aside beside where it was, under a name nobody looks for.
    const aside = await this.#freePath(dirname(file), `.${name}`);
    await rename(file, aside);
    return aside;
  }

  /** A rename would silently replace what has the name already. */
  async #freePath(directory: string, name: string): Promise<string> {
    const time = new Date().toISOString().replaceAll(/[-:.]/g, "");
    for (;;) {
      this.#moved += 1;
      const path = join(directory, `${name}-${time}-${this.#moved}`);
      if (!(await exists(path))) return path;
    }
  }

  async #prune(): Promise<void> {
    try {
      const names = (await readdir(this.#directory)).filter((name) => takenPattern.test(name));
      if (names.length <= this.#maxEntries) return;
      const oldestFirst = names.sort((left, right) => compareText(sortKey(left), sortKey(right)));
      for (const name of oldestFirst.slice(0, names.length - this.#maxEntries)) {
        await removeTaken(join(this.#directory, name));
      }
    } catch {
      // Tried again at the next one that is taken; the quarantine is not what anybody waits for.
    }
  }
}

const takenPattern = /-(\d{8}T\d{9}Z)-(\d+)$/;

function sortKey(name: string): string {
  const [, time = "", count = ""] = takenPattern.exec(name) ?? [];
  return `${time}-${count.padStart(16, "0")}`;
}

function compareText(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}

/** Never goes down into a directory: what a person or a mount put there is not ours to delete. */
async function removeTaken(path: string): Promise<void> {
  try {
    await ((await lstat(path)).isDirectory() ? rmdir(path) : unlink(path));
  } catch (error) {
    const code = errnoCode(error);
    if (code !== "ENOTEMPTY" && code !== "EEXIST" && code !== "EBUSY" && code !== "ENOENT") throw error;
  }
}

async function makeMissing(directory: string): Promise<boolean> {
  if (await exists(directory)) return false;
  await mkdir(directory, { mode: 0o700 });
  return true;
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (errnoCode(error) === "ENOENT") return false;
    throw error;
  }
}
