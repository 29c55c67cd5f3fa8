import { setTimeout as pause } from "node:timers/promises";

/** Asks until `probe` gives something; gives up after `limitMs` with `undefined`. */
export async function within(limitMs, probe) {
  const end = performance.now() + limitMs;
  for (;;) {
    const found = await probe();
    if (found) return found;
    if (performance.now() > end) return undefined;
    await pause(20);
  }
}
