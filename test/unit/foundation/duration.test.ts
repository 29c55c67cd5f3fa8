import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DurationFormatError, formatDuration, parseDurationMs } from "../../../src/foundation/duration.ts";

describe("parseDurationMs", () => {
  it.each([
    ["90s", 90_000],
    ["1m30s", 90_000],
    ["7d", 604_800_000],
    ["500ms", 500],
    ["1.5h", 5_400_000],
    ["1h0m0s", 3_600_000],
    ["1.1s", 1100],
    [".5s", 500],
    ["0", 0],
    ["0s", 0],
    ["1us", 1],
    ["1µs", 1],
    ["1500000ns", 2],
  ])("reads %s", (text, ms) => {
    expect(parseDurationMs(text)).toBe(ms);
  });

  it.each([
    "",
    " ",
    "5",
    "s",
    "-1s",
    "+1s",
    "1 s",
    "1s ",
    "1x",
    "1m30",
    "1e3s",
    "NaNs",
    "Infinitys",
    "1..5s",
    ".s",
  ])("refuses %j and says what it was", (text) => {
    expect(() => parseDurationMs(text)).toThrow(DurationFormatError);
    expect(() => parseDurationMs(text)).toThrow(JSON.stringify(text));
  });

  it("refuses what no number holds, and text of any length without repeating it", () => {
    expect(() => parseDurationMs("999999999999999999d")).toThrow(RangeError);
    const long = `${"1s".repeat(100_000)}`;
    expect(() => parseDurationMs(long)).toThrow(DurationFormatError);
    try {
      parseDurationMs(long);
    } catch (error) {
      expect((error as Error).message.length).toBeLessThan(200);
    }
  });
});

describe("formatDuration", () => {
  it.each([
    [0, "0s"],
    [-5, "0s"],
    [250, "250ms"],
    [1500, "1.5s"],
    [200_000, "3m20s"],
    [600_000, "10m"],
    [604_800_000, "7d"],
    [90_061_001, "1d1h1m1.001s"],
  ])("writes %d ms", (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it("is read back as the same milliseconds", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e12 }), (ms) => {
        expect(parseDurationMs(formatDuration(ms))).toBe(ms);
      }),
    );
  });
});
