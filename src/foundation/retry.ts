import { delay, throwIfAborted } from "./abort.ts";
import { isPassingError } from "./passing-error.ts";

export interface RetryOptions {
  /** Waits between tries; there is one try more than there are waits. */
  readonly waitsMs: readonly number[];
  /** Which failures are worth another try; default: those that pass by themselves. */
  readonly isWorthRetry?: (error: unknown) => boolean;
  /** Replaces the real wait. */
  readonly wait?: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly signal?: AbortSignal;
}

/** Runs `task` until it succeeds. Rejects with its last failure, or with the signal's reason. */
export async function retry<T>(task: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { waitsMs, isWorthRetry = isPassingError, wait = delay, signal } = options;
  for (const waitMs of waitsMs) {
    throwIfAborted(signal);
    try {
      return await task();
    } catch (error) {
      if (!isWorthRetry(error)) throw error;
    }
    await wait(waitMs, signal);
  }
  throwIfAborted(signal);
  return await task();
}
