import { describe, expect, it } from "vitest";
import { nearestName } from "../../../src/foundation/nearest-name.ts";

const known = ["logLevel", "logFile", "socketDir", "delErrorPolicy", "metricsPort"];

describe("nearestName", () => {
  it.each([
    ["loglevel", "logLevel"],
    ["logLevle", "logLevel"],
    ["sockDir", "socketDir"],
    ["delErorPolicy", "delErrorPolicy"],
    ["metricPort", "metricsPort"],
  ])("takes %s for %s", (name, expected) => {
    expect(nearestName(name, known)).toBe(expected);
  });

  it.each(["", "x", "somethingElse", "socketDir".repeat(20)])("finds nothing near %j", (name) => {
    expect(nearestName(name, known)).toBeUndefined();
  });

  it("prefers the nearest of several", () => {
    expect(nearestName("logFil", known)).toBe("logFile");
  });
});
