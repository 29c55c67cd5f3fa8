import { type FSWatcher, watch } from "node:fs";
import { stat } from "node:fs/promises";
import type { DurableDirectory } from "./durable-directory.ts";
import { isAbsent } from "./file-errors.ts";

export interface DirectoryWatchOptions {
  readonly directory: DurableDirectory;
  /** Called after an entry came or went, and at each look that finds entries: who left one sees it again. */
  readonly changed: () => void;
  readonly onTrouble: (error: unknown) => void;
  readonly rescanMs: number;
}

/**
 * Tells at once through the kernel's notifications, and by looking every `rescanMs` where those fail: a directory
 * that is made or replaced later, no watch left on the machine, a file system that does not notify.
 */
export class DirectoryWatch {
  readonly #options: DirectoryWatchOptions;
  readonly #timer: NodeJS.Timeout;
  #watcher: { readonly handle: FSWatcher; readonly inode: bigint } | undefined;
  #looking: Promise<void> | undefined;
  #stopped = false;
  /** Trouble that lasts is told once. */
  #isTroubled = false;

  constructor(options: DirectoryWatchOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#lookSoon(), options.rescanMs);
    this.#timer.unref();
    this.#lookSoon();
  }

  /** Once this resolves, `changed` is not called any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    this.#unwatch();
    await this.#looking;
  }

  #lookSoon(): void {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
  }

  async #look(): Promise<void> {
    try {
      await this.#watchPresent();
      for await (const _name of this.#options.directory.names()) {
        this.#tell();
        break;
      }
      this.#isTroubled = false;
    } catch (error) {
      if (!this.#isTroubled) this.#options.onTrouble(error);
      this.#isTroubled = true;
    }
  }

  /** Watches the directory that is there now. */
  async #watchPresent(): Promise<void> {
    const inode = await findInode(this.#options.directory.path);
    if (this.#watcher?.inode === inode || this.#stopped) return;
    this.#unwatch();
    if (inode === undefined) return;
    const handle = watch(this.#options.directory.path, { persistent: false }, (_event, name) => {
      // Names with a dot are files in the making.
      if (name === null || !name.startsWith(".")) this.#tell();
    });
    handle.on("error", (error) => {
      this.#unwatch();
      this.#options.onTrouble(error);
    });
    this.#watcher = { handle, inode };
  }

  #unwatch(): void {
    this.#watcher?.handle.close();
    this.#watcher = undefined;
  }

  #tell(): void {
    if (this.#stopped) return;
    try {
      this.#options.changed();
    } catch (error) {
      this.#options.onTrouble(error);
    }
  }
}

async function findInode(path: string): Promise<bigint | undefined> {
  try {
    return (await stat(path, { bigint: true })).ino;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}
