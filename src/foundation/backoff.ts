export interface BackoffBounds {
  readonly initialMs: number;
  readonly maxMs: number;
}

/**
 * Gap before the next try of something that has failed for `ageMs`: a quarter of the age, within the bounds, then
 * shortened by up to 25 %.
 *
 * The gap follows the age instead of doubling with each try, because what matters is how late the end of an outage is
 * noticed: after an outage of 10 s within 2.5 s, after one of an hour within `maxMs`, however many tries there were in
 * between. The jitter shortens only, so the bound holds, and it keeps many debts of one outage from coming in step.
 * @param random from 0 to 1, as `Math.random`
 */
export function nextDelayMs(ageMs: number, bounds: BackoffBounds, random: () => number): number {
  const gapMs = Math.min(Math.max(ageMs / 4, bounds.initialMs), bounds.maxMs);
  return gapMs * (1 - 0.25 * random());
}
