import { setTimeout as pause } from "node:timers/promises";

/**
 * Asks `probe` every few milliseconds until it gives something other than `undefined` or `false`.
 * Rejects after `timeoutMs` with `what`, and with the probe's last error where it had one.
 */
export async function waitFor<T>(
  what: string,
  probe: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs = 10_000,
): Promise<T> {
  const end = performance.now() + timeoutMs;
  let cause: unknown;
  for (;;) {
    try {
      const found = await probe();
      if (found !== undefined && found !== false) return found;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    if (performance.now() > end) throw new Error(`waited ${timeoutMs} ms in vain: ${what}`, { cause });
    await pause(10);
  }
}
