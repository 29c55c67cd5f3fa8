import { type FSWatcher, statSync, watch } from "node:fs";

/**
 * Tells that something in a directory may have changed: a file, or a symlink such as the `..data` of a mounted
 * ConfigMap. Only a hint: events may be lost, and the directory may be missing or replaced; so a user must look for
 * itself now and then, and calls `renew` when it does.
 */
export class DirectoryWatch {
  readonly #directory: string;
  readonly #changed: () => void;
  #watcher: FSWatcher | undefined;
  #watched: string | undefined;

  constructor(directory: string, changed: () => void) {
    this.#directory = directory;
    this.#changed = changed;
    this.renew();
  }

  /** Watches the directory that is there now; one that was made again in its place has another inode. */
  renew(): void {
    const present = identify(this.#directory);
    if (present === this.#watched) return;
    this.stop();
    if (present === undefined) return;
    try {
      const watcher = watch(this.#directory, { persistent: false }, () => this.#changed());
      watcher.on("error", () => this.stop());
      this.#watcher = watcher;
      this.#watched = present;
    } catch {
      // No inotify instance left, or gone again: the next `renew` tries it, until then the user's own looks do.
    }
  }

  stop(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#watched = undefined;
  }
}

function identify(directory: string): string | undefined {
  const stats = statSync(directory, { bigint: true, throwIfNoEntry: false });
  return stats?.isDirectory() === true ? `${stats.dev}:${stats.ino}` : undefined;
}
