/** Longest delay that `setTimeout` keeps; a longer one would fire at once. */
export const maxTimerMs = 2 ** 31 - 1;

/** @throws the signal's reason, as it was given to `abort`. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  signal?.throwIfAborted();
}

/**
 * Settles as `promise` does, or rejects with the signal's reason as soon as it is aborted. The work behind `promise`
 * goes on; a later rejection of it is not reported as unhandled.
 */
export async function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await promise;
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  try {
    // The signal first: where both are settled already, the caller has gone and the answer is nobody's.
    return await Promise.race([aborted.promise, promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/**
 * Resolves after `ms` (bounded by `maxTimerMs`), or rejects with the signal's reason. Whoever waits
 * keeps the process alive; a wait that may be long needs a signal that ends it.
 */
export async function delay(ms: number, signal?: AbortSignal): Promise<void> {
  throwIfAborted(signal);
  const passed = Promise.withResolvers<void>();
  const timer = setTimeout(passed.resolve, Math.min(ms, maxTimerMs));
  try {
    await abortable(passed.promise, signal);
  } finally {
    clearTimeout(timer);
  }
}
