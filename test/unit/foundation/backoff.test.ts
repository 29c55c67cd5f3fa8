import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nextDelayMs } from "../../../src/foundation/backoff.ts";

const bounds = { initialMs: 1000, maxMs: 300_000 };
const never = () => 0;

describe("nextDelayMs", () => {
  it("begins with the initial gap, grows to a quarter of the age, and ends at the longest gap", () => {
    expect(nextDelayMs(0, bounds, never)).toBe(1000);
    expect(nextDelayMs(40_000, bounds, never)).toBe(10_000);
    expect(nextDelayMs(86_400_000, bounds, never)).toBe(300_000);
  });

  it("is never longer than a quarter of the age beyond the initial gap, and jitter takes off a quarter at most", () => {
    const age = fc.double({ min: 0, max: 1e10, noNaN: true });
    const chance = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(age, chance, (ageMs, random) => {
        const gap = Math.min(Math.max(ageMs / 4, 1000), 300_000);
        const delay = nextDelayMs(ageMs, bounds, () => random);
        expect(delay).toBeLessThanOrEqual(gap);
        expect(delay).toBeGreaterThanOrEqual(gap * 0.75);
      }),
    );
  });

  it("notices the end of a short outage within 3 s", () => {
    for (const outageMs of [1000, 5000, 10_000]) {
      let ageMs = 0;
      while (ageMs < outageMs) ageMs += nextDelayMs(ageMs, bounds, never);
      expect(ageMs - outageMs).toBeLessThanOrEqual(3000);
    }
  });
});
