import { maxTimerMs } from "./abort.ts";
import { monotonicNs, msToNs, nsToMs } from "./clock.ts";

/** The time is over. Reason of the signals that `Deadline.signal` makes. */
export class DeadlineExceededError extends Error {
  override readonly name = "DeadlineExceededError";
  readonly deadline: Deadline;

  constructor(deadline: Deadline) {
    super("deadline exceeded");
    this.deadline = deadline;
  }
}

/** An `AbortSignal` that holds a timer and a listener until it is disposed of or aborted. */
export type DisposableSignal = AbortSignal & Disposable;

/** A moment of the monotonic clock by which something must be done. */
export class Deadline {
  /** CLOCK_MONOTONIC nanoseconds; may lie in the past. */
  readonly atNs: bigint;

  private constructor(atNs: bigint) {
    this.atNs = atNs;
  }

  static after(ms: number, nowNs: bigint = monotonicNs()): Deadline {
    return new Deadline(nowNs + msToNs(ms));
  }

  static at(ns: bigint): Deadline {
    return new Deadline(ns);
  }

  /** Never below 0. */
  remainingMs(nowNs: bigint = monotonicNs()): number {
    return Math.max(0, nsToMs(this.atNs - nowNs));
  }

  hasPassed(nowNs: bigint = monotonicNs()): boolean {
    return nowNs >= this.atNs;
  }

  /** This one where both are the same moment or there is no other. */
  earlier(other: Deadline | undefined): Deadline {
    return other !== undefined && other.atNs < this.atNs ? other : this;
  }

  /**
   * Aborted with a `DeadlineExceededError` when the time is over, never before, or with the parent's reason when that
   * is aborted. The timer does not keep the process alive; dispose of the signal (`using`) when the work is done.
   */
  signal(parent?: AbortSignal): DisposableSignal {
    const controller = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const follow = () => end(parent?.reason);
    const dispose = () => {
      clearTimeout(timer);
      parent?.removeEventListener("abort", follow);
    };
    const end = (reason: unknown) => {
      dispose();
      controller.abort(reason);
    };
    const arm = () => {
      // A timer may come a fraction of a millisecond early, and the longest one is 24 days: look again, then wait on.
      if (this.hasPassed()) return end(new DeadlineExceededError(this));
      timer = setTimeout(arm, Math.min(Math.ceil(this.remainingMs()), maxTimerMs));
      timer.unref();
    };
    if (parent?.aborted) end(parent.reason);
    else {
      parent?.addEventListener("abort", follow, { once: true });
      arm();
    }
    return Object.assign(controller.signal, { [Symbol.dispose]: dispose });
  }
}
