import { describe, expect, it } from "vitest";
import { compileSafeExpression } from "../../../src/attachments/safe-expression.ts";

describe("compileSafeExpression", () => {
  it.each([
    "not found",
    "no such (device|file)",
    "link .* is gone|interface .* not found|lease .* unknown",
    "code [0-9]+",
    "\\(gone\\)+",
    "[(*+)]+",
    "a*?b",
  ])("accepts %j", (source) => {
    expect(compileSafeExpression(source)).toBeInstanceOf(RegExp);
  });

  it.each([
    ["", "empty"],
    ["(", "no regular expression"],
    ["x".repeat(257), "longer than 256"],
    ["(a+)+$", "repeat a group"],
    ["(a|aa){2,}b", "repeat a group"],
    ["(?<a>x)\\k<a>", "refer back"],
    ["(a)\\1", "refer back"],
    ["(?=a)b", "look ahead"],
    ["(?<!a)b", "look ahead"],
    ["a*b*c*", "too many steps"],
    ["a*a*b|a*a*c|a*a*d", "too many steps"],
    [`${"a?".repeat(30)}b`, "too many steps"],
    [`${"(a|a)".repeat(30)}b`, "too many steps"],
  ])("refuses %j", (source, reason) => {
    expect(compileSafeExpression(source)).toContain(reason);
  });

  it.each(["a*a*$", ".*a.*b", `${"a?".repeat(8)}${"a".repeat(8)}b`, "(a|a)(a|a)(a|a)(a|a)a*$"])(
    "accepts only what ends soon on 512 hostile characters: %s",
    (source) => {
      const expression = compileSafeExpression(source);
      if (typeof expression === "string") throw new Error(expression);
      const start = performance.now();
      expression.test(`${"a".repeat(511)}!`);
      expect(performance.now() - start).toBeLessThan(2000);
    },
  );
});
