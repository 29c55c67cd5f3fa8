import { describe, expect, it } from "vitest";
import { abortable, delay } from "../../../src/foundation/abort.ts";
import { errnoCode, isOutOfDescriptors, isPassingError } from "../../../src/foundation/passing-error.ts";
import { retry } from "../../../src/foundation/retry.ts";

function errno(code: string): Error {
  return Object.assign(new Error(code), { code });
}

describe("retry", () => {
  it("tries passing failures again after the given waits, then hands out the last one", async () => {
    const waits: number[] = [];
    let tries = 0;
    const failing = retry(
      async () => {
        tries += 1;
        throw errno("EMFILE");
      },
      { waitsMs: [1, 2, 3], wait: async (ms) => void waits.push(ms) },
    );

    await expect(failing).rejects.toMatchObject({ code: "EMFILE" });
    expect(tries).toBe(4);
    expect(waits).toEqual([1, 2, 3]);
  });

  it("hands out a failure that will not pass at once", async () => {
    let tries = 0;
    const failing = retry(
      async () => {
        tries += 1;
        throw errno("ENOENT");
      },
      { waitsMs: [1, 2, 3] },
    );

    await expect(failing).rejects.toMatchObject({ code: "ENOENT" });
    expect(tries).toBe(1);
  });

  it("resolves with the first success", async () => {
    let tries = 0;
    const value = await retry(
      async () => {
        tries += 1;
        if (tries < 3) throw errno("EIO");
        return tries;
      },
      { waitsMs: [0, 0, 0] },
    );

    expect(value).toBe(3);
  });

  it("stops with the reason of an abort, also in the middle of a wait", async () => {
    const gone = new AbortController();
    const failing = retry(() => Promise.reject(errno("EIO")), { waitsMs: [60_000], signal: gone.signal });

    gone.abort(new Error("caller has gone"));

    await expect(failing).rejects.toThrow("caller has gone");
  });
});

describe("passing errors", () => {
  it("are told by errno, through causes, and by nothing else", () => {
    expect(isPassingError(errno("ENOMEM"))).toBe(true);
    expect(isPassingError(new Error("outer", { cause: errno("EIO") }))).toBe(true);
    expect(isPassingError(errno("ENOSPC"))).toBe(false);
    expect(isPassingError(new Error("EMFILE"))).toBe(false);
    expect(isPassingError("EMFILE")).toBe(false);
    expect(isOutOfDescriptors(errno("ENFILE"))).toBe(true);
    expect(isOutOfDescriptors(errno("EIO"))).toBe(false);
  });

  it("end the search in a chain of causes that is a circle", () => {
    const circle = new Error("round");
    circle.cause = circle;

    expect(errnoCode(circle)).toBeUndefined();
  });

  it("do not take codes of Node itself for errno names", () => {
    expect(errnoCode(Object.assign(new Error(), { code: "ERR_INVALID_ARG_TYPE" }))).toBeUndefined();
  });
});

describe("abortable", () => {
  it("rejects with the reason although the work goes on", async () => {
    const gone = new AbortController();
    const waiting = abortable(new Promise(() => undefined), gone.signal);
    gone.abort(new Error("gone"));

    await expect(waiting).rejects.toThrow("gone");
    await expect(abortable(Promise.resolve(1), gone.signal)).rejects.toThrow("gone");
  });

  it("settles as its promise without an abort", async () => {
    const live = new AbortController();
    await expect(abortable(Promise.resolve(1), live.signal)).resolves.toBe(1);
    await expect(abortable(Promise.reject(new Error("own")), live.signal)).rejects.toThrow("own");
    await expect(delay(1, live.signal)).resolves.toBeUndefined();
  });
});
