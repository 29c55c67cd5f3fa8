import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { ConfigError } from "./config-problem.ts";
import type { DaemonConfig } from "./daemon-config.ts";
import { DirectoryWatch } from "./directory-watch.ts";
import { parseDaemonConfig, readConfigText } from "./load-daemon-config.ts";

export interface ConfigWatchOptions {
  /** The snapshot that is in use: only another text is a change. */
  readonly loaded: DaemonConfig;
  /** A whole and valid snapshot, to be used from now on. */
  onChange(config: DaemonConfig): void;
  /** The file is there in a form that cannot be used; the old snapshot stays. Once for each such form. */
  onRefused(error: unknown): void;
  /** An editor writes in several steps, and a swap of a ConfigMap gives several events: this long nothing is read. */
  readonly settleMs?: number;
  /** Finds what no event told of. */
  readonly rescanMs?: number;
}

export interface ConfigWatch {
  /** Looks at the file now, as after a SIGHUP. */
  check(): Promise<void>;
  stop(): Promise<void>;
}

/** Follows the file, through symlinks and replaced directories too. Holds no process alive and never rejects. */
export function watchDaemonConfig(file: string, options: ConfigWatchOptions): ConfigWatch {
  return new FileFollower(file, options);
}

const maxRounds = 5;

class FileFollower implements ConfigWatch {
  readonly #file: string;
  readonly #options: ConfigWatchOptions;
  readonly #settleMs: number;
  readonly #stopped = new AbortController();
  readonly #watch: DirectoryWatch;
  readonly #rescan: NodeJS.Timeout;
  #settle: NodeJS.Timeout | undefined;
  #checking: Promise<void> = Promise.resolve();
  #inUse: string;
  #refused: string | undefined;

  constructor(file: string, options: ConfigWatchOptions) {
    this.#file = file;
    this.#options = options;
    this.#settleMs = options.settleMs ?? 200;
    this.#inUse = options.loaded.rawText;
    this.#watch = new DirectoryWatch(dirname(file), () => this.#checkSoon());
    this.#rescan = setInterval(() => this.#checkAgain(), options.rescanMs ?? 15_000).unref();
    // The file may have changed between its reading and the watch.
    this.#checkSoon();
  }

  async check(): Promise<void> {
    const look = this.#checking.then(() => this.#look());
    this.#checking = look.catch((error: unknown) => this.#options.onRefused(error));
    await this.#checking;
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#watch.stop();
    clearInterval(this.#rescan);
    clearTimeout(this.#settle);
    await this.#checking;
  }

  #checkSoon(): void {
    clearTimeout(this.#settle);
    this.#settle = setTimeout(() => void this.check(), this.#settleMs).unref();
  }

  #checkAgain(): void {
    this.#watch.renew();
    void this.check();
  }

  /** What is only half there is looked at again: a refusal must be what the file stays at. */
  async #look(): Promise<void> {
    let seen = await this.#read();
    for (let round = 0; round < maxRounds && this.#isNewRefusal(seen); round += 1) {
      await delay(this.#settleMs, undefined, { ref: false, signal: this.#stopped.signal }).catch(ignoreAbort);
      const again = await this.#read();
      if (again.key === seen.key) break;
      seen = again;
    }
    if (!this.#stopped.signal.aborted) this.#report(seen);
  }

  #isNewRefusal(seen: Seen): boolean {
    return "error" in seen && seen.key !== this.#refused && !this.#stopped.signal.aborted;
  }

  async #read(): Promise<Seen> {
    let text: string | undefined;
    try {
      text = await readConfigText(this.#file);
      if (text === this.#inUse && this.#refused === undefined) return { key: text, config: undefined };
      return { key: text, config: parseDaemonConfig(text, this.#file) };
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return { key: text ?? error.message, error };
    }
  }

  #report(seen: Seen): void {
    if ("error" in seen) {
      if (seen.key === this.#refused) return;
      this.#refused = seen.key;
      this.#options.onRefused(seen.error);
      return;
    }
    if (seen.config === undefined) return;
    this.#inUse = seen.key;
    this.#refused = undefined;
    this.#options.onChange(seen.config);
  }
}

/** What the file was at one look; `key` tells looks apart. No `config`: it is the one in use. */
type Seen =
  | { readonly key: string; readonly config: DaemonConfig | undefined }
  | { readonly key: string; readonly error: ConfigError };

function ignoreAbort(error: unknown): void {
  if (!(error instanceof Error && error.name === "AbortError")) throw error;
}
