import { lstat, mkdir, readdir, rename, rmdir, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Instruments } from "../attachments/instruments.ts";
import { errnoCode } from "../foundation/passing-error.ts";
import { isAbsent } from "./file-errors.ts";

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

/** Beyond these the oldest go; the newest always stays. */
export interface QuarantineBounds {
  readonly maxEntries: number;
  /** Of plain files; what is inside directories is not counted. */
  readonly maxBytes: number;
}

/**
 * Where unreadable files go, so that they neither disturb again nor are lost to whoever wants to know what happened.
 * They are moved, never copied: that needs no space. Nothing here ever rejects, because a DEL must not fail over it.
 */
export class Quarantine {
  readonly #directory: string;
  readonly #onCorrupt: OnCorrupt;
  readonly #bounds: QuarantineBounds;
  /** Part of the names. */
  #moved = 0;
  #taken = 0;
  #pruning: Promise<void> | undefined;

  constructor(directory: string, onCorrupt: OnCorrupt, bounds: Partial<QuarantineBounds> = {}) {
    this.#directory = directory;
    this.#onCorrupt = onCorrupt;
    this.#bounds = { maxEntries: 1000, maxBytes: 256 * 1024 * 1024, ...bounds };
  }

  /**
   * Moves what stands at `file`, a directory too, and reports it.
   * @returns where it is now: `file` itself if it could not be moved
   */
  async take(file: string, kind: CorruptKind, reason: string): Promise<string> {
    try {
      const quarantined = await this.#move(file, kind);
      this.#onCorrupt({ kind, file, reason, quarantined });
      this.#taken += 1;
      this.#pruneSoon();
      return quarantined;
    } catch (cause) {
      this.#onCorrupt({ kind, file, reason, cause });
      return file;
    }
  }

  /** Resolves when what was taken has been made room for. */
  async waitIdle(): Promise<void> {
    while (this.#pruning !== undefined) await this.#pruning;
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

  /** A storm of unreadable files is pruned once in a while, not once for each. */
  #pruneSoon(): void {
    const takenBefore = this.#taken;
    this.#pruning ??= this.#prune().finally(() => {
      this.#pruning = undefined;
      if (this.#taken > takenBefore) this.#pruneSoon();
    });
  }

  async #prune(): Promise<void> {
    try {
      const names = (await readdir(this.#directory)).filter((name) => takenPattern.test(name));
      const newestFirst = names.sort((left, right) => compareText(sortKey(right), sortKey(left)));
      let bytes = 0;
      for (const [index, name] of newestFirst.entries()) {
        const path = join(this.#directory, name);
        bytes += await sizeOf(path);
        const fits = index < this.#bounds.maxEntries && bytes <= this.#bounds.maxBytes;
        if (index > 0 && !fits) await removeTaken(path);
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

async function sizeOf(path: string): Promise<number> {
  try {
    const found = await lstat(path);
    return found.isFile() ? found.size : 0;
  } catch (error) {
    if (isAbsent(error)) return 0;
    throw error;
  }
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
