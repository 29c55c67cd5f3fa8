import { unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ReadinessGap } from "../attachments/views.ts";

/** How often it is looked at whether state can be written. */
const probeIntervalMs = 5000;

/** Knows whether the state directory can be written, by writing: full and read-only file systems say so only then. */
export class StorageWatch {
  readonly #file: string;
  readonly #timer: NodeJS.Timeout;
  #problem: string | undefined;
  #onRecovered: () => void = () => {};

  constructor(stateDir: string) {
    this.#file = join(stateDir, ".probe");
    this.#timer = setInterval(() => void this.probe(), probeIntervalMs);
    this.#timer.unref();
  }

  /** Looks now. Never rejects. */
  async probe(): Promise<void> {
    try {
      await writeFile(this.#file, "0123456789abcdef".repeat(256), { mode: 0o600 });
      await unlink(this.#file);
      const wasBroken = this.#problem !== undefined;
      this.#problem = undefined;
      if (wasBroken) this.#onRecovered();
    } catch (error) {
      const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
      this.#problem = `state directory cannot be written (${code}): make room or mount it writable`;
    }
  }

  /** `listener` is called when state can be written again: what could not be written down meanwhile can be now. */
  whenRecovered(listener: () => void): void {
    this.#onRecovered = listener;
  }

  problem(): string | undefined {
    return this.#problem;
  }

  gap(): ReadinessGap | undefined {
    return this.#problem === undefined ? undefined : { what: "state", detail: this.#problem };
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
