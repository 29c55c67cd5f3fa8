import { describe, expect, it } from "vitest";
import { monotonicNs } from "../../../src/foundation/clock.ts";
import { Deadline, DeadlineExceededError } from "../../../src/foundation/deadline.ts";

function aborted(signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(signal.reason)));
}

describe("Deadline", () => {
  it("counts down to zero and not below", () => {
    const deadline = Deadline.after(1500, 1_000_000n);

    expect(deadline.remainingMs(1_000_000n)).toBe(1500);
    expect(deadline.remainingMs(1_001_000_000n)).toBe(500);
    expect(deadline.remainingMs(9_000_000_000n)).toBe(0);
    expect(deadline.hasPassed(1_500_999_999n)).toBe(false);
    expect(deadline.hasPassed(1_501_000_000n)).toBe(true);
  });

  it("keeps nanoseconds beyond 2^53", () => {
    const ns = 9_007_199_254_740_993n;
    expect(Deadline.at(ns).atNs).toBe(ns);
  });

  it("chooses the earlier of two", () => {
    const early = Deadline.at(1n);
    const late = Deadline.at(2n);

    expect(late.earlier(early)).toBe(early);
    expect(early.earlier(late)).toBe(early);
    expect(early.earlier(undefined)).toBe(early);
  });

  it("aborts its signal with a named error, and not before the time", async () => {
    const deadline = Deadline.after(20);
    using signal = deadline.signal();

    const reason = await aborted(signal);

    expect(monotonicNs()).toBeGreaterThanOrEqual(deadline.atNs);
    expect(reason).toBeInstanceOf(DeadlineExceededError);
    expect(reason).toMatchObject({ deadline });
  });

  it("is aborted from the start when the time is over", () => {
    using signal = Deadline.at(monotonicNs() - 1n).signal();

    expect(signal.reason).toBeInstanceOf(DeadlineExceededError);
  });

  it("takes the reason of its parent when that is aborted first", () => {
    const parent = new AbortController();
    using signal = Deadline.after(60_000).signal(parent.signal);
    const gone = new Error("caller has gone");

    parent.abort(gone);

    expect(signal.reason).toBe(gone);
    using later = Deadline.after(60_000).signal(parent.signal);
    expect(later.reason).toBe(gone);
  });

  it("does nothing more once disposed of", async () => {
    const parent = new AbortController();
    const deadline = Deadline.after(5);
    const signal = deadline.signal(parent.signal);
    signal[Symbol.dispose]();
    parent.abort();
    using witness = Deadline.after(10).signal();
    await aborted(witness);

    expect(signal.aborted).toBe(false);
  });

  it("does not fire at once for a time beyond the longest timer", async () => {
    using signal = Deadline.after(60 * 86_400_000).signal();
    using witness = Deadline.after(5).signal();
    await aborted(witness);

    expect(signal.aborted).toBe(false);
  });
});
