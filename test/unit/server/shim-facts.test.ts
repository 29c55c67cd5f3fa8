import { describe, expect, it } from "vitest";
import { readShimFacts } from "../../../src/server/shim-facts.ts";

const clock = { bootId: "boot-1", nowNs: () => 5_000_000_000n, nowText: () => "" };
const ours = { "x-multusd-shim": "0.1.0", "x-multusd-boot": "boot-1" };

describe("what a shim says of itself", () => {
  it("is not there for upstream's shim", () => {
    expect(readShimFacts({ "x-multusd-start": "1" }, "ADD", clock)).toBeUndefined();
  });

  it("is the time since its start and the spool that it sees", () => {
    const headers = { ...ours, "x-multusd-start": "4750000000", "x-multusd-spool": "64769:131" };

    expect(readShimFacts(headers, "DEL", clock)).toEqual({
      command: "DEL",
      seconds: 0.25,
      spool: "64769:131",
    });
  });

  it("has no time where the start is of another boot, ahead, or no number", () => {
    for (const header of [
      { "x-multusd-boot": "boot-0", "x-multusd-start": "1" },
      { "x-multusd-start": "5000000001" },
      { "x-multusd-start": "soon" },
      {},
    ]) {
      expect(readShimFacts({ ...ours, ...header }, "ADD", clock)).toEqual({ command: "ADD" });
    }
  });

  it("passes over a spool that is no device and inode", () => {
    expect(readShimFacts({ ...ours, "x-multusd-spool": "../../etc" }, "ADD", clock)).toEqual({
      command: "ADD",
    });
  });
});
