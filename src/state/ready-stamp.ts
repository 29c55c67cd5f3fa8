import { join } from "node:path";
import type { BootClock } from "../attachments/ports.ts";
import { seal } from "./envelope.ts";
import { replaceFile } from "./replace-file.ts";

export interface ReadyStampOptions {
  readonly stateDir: string;
  readonly clock: BootClock;
  readonly isReady: () => boolean;
  /** Gets the first failure of a row. */
  readonly onTrouble: (error: unknown) => void;
  readonly intervalMs?: number;
}

/**
 * `<stateDir>/ready`: when this daemon was ready last, renewed every 5 s while it is. The shim answers STATUS with
 * success for a while after it, so that a roll-out of the daemon does not turn the node NotReady. Stays after the end.
 */
export class ReadyStamp {
  readonly #options: ReadyStampOptions;
  readonly #timer: NodeJS.Timeout;
  #renewing: Promise<void> = Promise.resolve();
  #isTroubled = false;

  constructor(options: ReadyStampOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.renew(), options.intervalMs ?? 5000);
    this.#timer.unref();
    this.renew();
  }

  /** Looks now, as when readiness has just come. Never rejects. */
  renew(): Promise<void> {
    this.#renewing = this.#renewing.then(() => this.#write());
    return this.#renewing;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#renewing;
  }

  async #write(): Promise<void> {
    const { stateDir, clock, isReady, onTrouble } = this.#options;
    if (!isReady()) return;
    try {
      const body = { bootId: clock.bootId, atNs: clock.nowNs().toString() };
      await replaceFile(join(stateDir, "ready"), seal("multusd.ready", body));
      this.#isTroubled = false;
    } catch (error) {
      if (!this.#isTroubled) onTrouble(error);
      this.#isTroubled = true;
    }
  }
}
