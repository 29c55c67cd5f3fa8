import { stat } from "node:fs/promises";
import type { Log } from "../attachments/instruments.ts";

/**
 * Notices shims that write their spool where this daemon does not look (another mount, another `spoolDir`): what they
 * put there would never be taken in. Says so once for each directory.
 */
export class SpoolIdentity {
  readonly #own: string;
  readonly #path: string;
  readonly #log: Log;
  readonly #seen = new Set<string>();

  private constructor(path: string, own: string, log: Log) {
    this.#path = path;
    this.#own = own;
    this.#log = log;
  }

  static async of(path: string, log: Log): Promise<SpoolIdentity> {
    const { dev, ino } = await stat(path, { bigint: true });
    return new SpoolIdentity(path, `${dev}:${ino}`, log);
  }

  /** True if the shim's directory is another one. */
  isForeign(shimSees: string): boolean {
    if (shimSees === this.#own) return false;
    if (!this.#seen.has(shimSees) && this.#seen.size < 100) {
      this.#seen.add(shimSees);
      this.#log.error(
        { spool: this.#path, daemonSees: this.#own, shimSees },
        "shim spools to another directory: set shim.spoolDir in the runtime's configuration, or mount the state directory at one place",
      );
    }
    return true;
  }
}
