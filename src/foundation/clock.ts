/**
 * CLOCK_MONOTONIC in nanoseconds: the clock that `CLOCK_MONOTONIC` readers of other processes on this machine share,
 * so that a deadline or a start may travel between them. Says nothing across boots.
 */
export function monotonicNs(): bigint {
  return process.hrtime.bigint();
}

/** Whole nanoseconds of `ms`, which may have a fraction. */
export function msToNs(ms: number): bigint {
  return BigInt(Math.round(ms * 1e6));
}

/** Milliseconds with a fraction. Exact to the microsecond for spans of up to a hundred days. */
export function nsToMs(ns: bigint): number {
  return Number(ns) / 1e6;
}
