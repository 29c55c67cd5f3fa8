import { throwIfAborted } from "./abort.ts";

/**
 * Many at once, or one alone. Neither side starves: whoever comes while somebody waits to be alone stands behind
 * them, and after each turn alone all who stood there go in before the next one may be alone.
 */
export class ExclusiveGate {
  #inside = 0;
  #alone = false;
  readonly #waiting = new Set<() => void>();
  readonly #waitingAlone = new Set<() => void>();

  /** Resolves inside; each success needs one `leave`. An abort while waiting rejects with its reason. */
  async enter(signal?: AbortSignal): Promise<void> {
    throwIfAborted(signal);
    if (!this.#alone && this.#waitingAlone.size === 0) {
      this.#inside += 1;
      return;
    }
    await stand(this.#waiting, signal);
  }

  leave(): void {
    this.#inside -= 1;
    this.#advance();
  }

  /** Resolves once nobody else is inside; each success needs one `leaveAlone`. */
  async enterAlone(signal?: AbortSignal): Promise<void> {
    throwIfAborted(signal);
    if (!this.#alone && this.#inside === 0) {
      this.#alone = true;
      return;
    }
    try {
      await stand(this.#waitingAlone, signal);
    } catch (error) {
      this.#advance();
      throw error;
    }
  }

  leaveAlone(): void {
    this.#alone = false;
    this.#admitWaiting();
    this.#advance();
  }

  #admitWaiting(): void {
    this.#inside += this.#waiting.size;
    for (const admit of this.#waiting) admit();
    this.#waiting.clear();
  }

  #advance(): void {
    if (this.#alone) return;
    const [next] = this.#waitingAlone;
    if (next === undefined) {
      this.#admitWaiting();
    } else if (this.#inside === 0) {
      this.#waitingAlone.delete(next);
      this.#alone = true;
      next();
    }
  }
}

/** Stands in `line` until somebody takes the entry out and calls it; an abort takes it out too. */
function stand(line: Set<() => void>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const admit = () => {
      signal?.removeEventListener("abort", abandon);
      resolve();
    };
    const abandon = () => {
      if (line.delete(admit)) reject(signal?.reason);
    };
    line.add(admit);
    signal?.addEventListener("abort", abandon, { once: true });
  });
}
