import type { FSWatcher } from "chokidar";
import type { Log } from "../attachments/instruments.ts";
import type { ManifestDirectory, ManifestState } from "./manifest-directory.ts";
import type { ManifestProblem } from "./manifest-object.ts";

const settleMs = 100;

/** Looks at the directory when something happens there, and now and then anyway; says in the log what changed. */
export class ManifestWatch {
  readonly #directory: string;
  readonly #files: ManifestDirectory;
  readonly #log: Log;
  readonly #rescan: NodeJS.Timeout;
  #settle: NodeJS.Timeout | undefined;
  #watcher: { readonly identity: string; readonly opened: Promise<FSWatcher | undefined> } | undefined;
  #seen: ManifestState | undefined;
  #reported = "";
  #looking: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(directory: string, files: ManifestDirectory, log: Log, rescanMs: number) {
    this.#directory = directory;
    this.#files = files;
    this.#log = log;
    this.#rescan = setInterval(() => this.#look(), rescanMs).unref();
    this.report(files.state);
    this.#watchNow(files.state);
  }

  /** Logs a state that differs from the one before. */
  report(state: ManifestState): void {
    const { gap, index, ignoredKinds, files } = state;
    if (index === this.#seen?.index && gap === this.#seen.gap) return;
    this.#seen = state;
    const shown = JSON.stringify([gap, index.problems, ignoredKinds, files, index.objects.size]);
    if (shown === this.#reported || this.#isStopped) return;
    this.#reported = shown;
    const directory = this.#directory;
    if (gap !== undefined) this.#log.warn({ directory, reason: gap }, "manifest directory cannot be used");
    else this.#log.info({ directory, files, objects: index.objects.size }, "manifests read");
    for (const problem of index.problems.slice(0, 20)) this.#warn(problem);
    if (ignoredKinds.length > 0)
      this.#log.debug({ directory, kinds: ignoredKinds }, "manifests of other kinds");
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#rescan);
    clearTimeout(this.#settle);
    await (await this.#watcher?.opened)?.close();
    await this.#looking;
  }

  #warn({ file, line, column, message }: ManifestProblem): void {
    this.#log.warn({ file, line, column, reason: message }, "manifest has a mistake");
  }

  #lookSoon(): void {
    clearTimeout(this.#settle);
    this.#settle = setTimeout(() => this.#look(), settleMs).unref();
  }

  #look(): void {
    this.#looking = this.#files.look().then((state) => {
      this.report(state);
      this.#watchNow(state);
    });
  }

  /** A directory that was made again in the old one's place is another inode. */
  #watchNow({ identity }: ManifestState): void {
    if (this.#isStopped || identity === this.#watcher?.identity) return;
    const old = this.#watcher?.opened;
    void old?.then((watcher) => watcher?.close());
    this.#watcher = identity === undefined ? undefined : { identity, opened: this.#open() };
  }

  /** The library is loaded where it is needed: a daemon in a cluster never pays for it. */
  async #open(): Promise<FSWatcher | undefined> {
    try {
      const { watch } = await import("chokidar");
      const watcher = watch(this.#directory, { depth: 0, ignoreInitial: true, persistent: false });
      watcher.on("all", () => this.#lookSoon());
      // What came since the last look and before the watch began gives no event.
      watcher.on("ready", () => this.#lookSoon());
      watcher.on("error", (err) =>
        this.#log.warn({ err, directory: this.#directory }, "manifest watch failed"),
      );
      return watcher;
    } catch (err) {
      this.#log.warn(
        { err, directory: this.#directory },
        "manifests are not watched, only looked at now and then",
      );
      return undefined;
    }
  }
}
