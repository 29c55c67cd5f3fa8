import { describe, expect, it } from "vitest";
import { defaultErrorPolicy, parseErrorPolicy } from "../../../src/attachments/parse-error-policy.ts";

function policyOf(value: unknown) {
  const parsed = parseErrorPolicy(value, "delErrorPolicy");
  if ("problems" in parsed) throw new Error(JSON.stringify(parsed.problems));
  return parsed.policy;
}

function problemsOf(value: unknown) {
  const parsed = parseErrorPolicy(value, "at");
  return "problems" in parsed ? parsed.problems.map(({ path, message }) => `${path}: ${message}`) : [];
}

describe("parseErrorPolicy", () => {
  it.each(["strict", "lenient", "deferred"] as const)("reads the word %s", (mode) => {
    expect(policyOf(mode)).toEqual({ ...defaultErrorPolicy, mode });
    expect(policyOf(JSON.stringify(mode))).toEqual({ ...defaultErrorPolicy, mode });
    expect(policyOf(` ${mode}\n`)).toEqual({ ...defaultErrorPolicy, mode });
  });

  it("has the contract's numbers as defaults", () => {
    expect(defaultErrorPolicy).toEqual({
      mode: "deferred",
      firstAttempt: "inline",
      escalate: { attempts: 20, ageMs: 10 * 60_000 },
      retry: { initialMs: 1000, maxMs: 5 * 60_000, giveUpAfterMs: 7 * 24 * 3_600_000 },
      ignore: [],
    });
  });

  it("reads the whole object form, as a value and as text", () => {
    const value = {
      mode: "deferred",
      firstAttempt: "none",
      escalate: { attempts: 3, age: "90s" },
      retry: { initial: "500ms", max: "1m", giveUpAfter: "1h30m" },
      ignore: [{ code: 3 }, { message: "already gone" }, "gone"],
    };
    const expected = {
      mode: "deferred",
      firstAttempt: "none",
      escalate: { attempts: 3, ageMs: 90_000 },
      retry: { initialMs: 500, maxMs: 60_000, giveUpAfterMs: 5_400_000 },
      ignore: [{ code: 3 }, { message: "already gone" }, "gone"],
    };
    expect(policyOf(value)).toEqual(expected);
    expect(policyOf(JSON.stringify(value))).toEqual(expected);
  });

  it("fills what the object form leaves out, down to single members", () => {
    expect(policyOf({ retry: { max: "10m" } })).toEqual({
      ...defaultErrorPolicy,
      retry: { ...defaultErrorPolicy.retry, maxMs: 600_000 },
    });
  });

  it("moves a retry bound that was not written to the one that was", () => {
    expect(policyOf({ retry: { max: "100ms" } }).retry).toMatchObject({ initialMs: 100, maxMs: 100 });
    expect(policyOf({ retry: { initial: "10m" } }).retry).toMatchObject({
      initialMs: 600_000,
      maxMs: 600_000,
    });
  });

  it("gives a snapshot that nobody can change", () => {
    const policy = policyOf({ ignore: [{ code: 3 }] });
    expect(Object.isFrozen(policy)).toBe(true);
    expect(Object.isFrozen(policy.retry)).toBe(true);
    expect(Object.isFrozen(policy.ignore[0])).toBe(true);
    expect(Object.isFrozen(defaultErrorPolicy.retry)).toBe(true);
  });

  it("names every problem at once, each with its path", () => {
    const problems = problemsOf({
      mode: "lenint",
      escalate: { attempts: 0, age: "soon" },
      retry: { initial: "0s", giveUpAfter: 7 },
      ignore: [{ code: "3" }, "went", { message: "(a+)+" }],
    });
    expect(problems).toEqual([
      'at/mode: must be "strict", "lenient" or "deferred"',
      "at/escalate/attempts: must be a whole number from 1 to 1000000",
      'at/escalate/age: must be a duration such as "90s", "10m" or "7d"',
      "at/retry/initial: must be longer than zero",
      'at/retry/giveUpAfter: must be a duration such as "90s", "10m" or "7d"',
      "at/ignore/0/code: must be a whole number from 1 to 4294967295",
      'at/ignore/1: must be "gone", {"code": number} or {"message": "regular expression"}',
      "at/ignore/2/message: must not repeat a group",
    ]);
  });

  it("calls an unknown key a problem and names the nearest", () => {
    expect(problemsOf({ mod: "strict", retry: { maximum: "1m", init: "1s" } })).toEqual([
      'at/mod: unknown; did you mean "mode"?',
      "at/retry/maximum: unknown; known are initial, max, giveUpAfter",
      "at/retry/init: unknown; known are initial, max, giveUpAfter",
    ]);
  });

  it("allows a postponed first attempt only where the failure is deferred", () => {
    expect(problemsOf({ mode: "strict", firstAttempt: "none" })).toEqual([
      'at/firstAttempt: "none" needs the mode "deferred"',
    ]);
    expect(problemsOf({ mode: "strict", firstAttempt: "inline" })).toEqual([]);
  });

  it("refuses bounds that contradict each other", () => {
    expect(problemsOf({ retry: { initial: "2m", max: "1m" } })).toEqual([
      "at/retry: initial must not be longer than max",
    ]);
  });

  it.each([null, 5, true, [], "", "Strict", "{", '{"mode":', "x".repeat(20_000)])("refuses %j", (value) => {
    expect(problemsOf(value)).toHaveLength(1);
  });

  it("never repeats a value, which may be a secret", () => {
    const problems = problemsOf({ mode: "s3cret", retry: { max: "s3cret" }, ignore: ["s3cret"] });
    expect(problems).toHaveLength(3);
    expect(problems.join()).not.toContain("s3cret");
  });

  it("keeps a key that only looks like a prototype's member out", () => {
    expect(problemsOf(JSON.parse('{"__proto__": {"mode": "strict"}}'))).toEqual([
      "at/__proto__: unknown; known are mode, firstAttempt, escalate, retry, ignore",
    ]);
  });
});
