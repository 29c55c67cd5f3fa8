import { describe, expect, it } from "vitest";
import { validateContainerId, validateInterfaceName, validateNetworkName } from "../../../src/cni/index.ts";

describe("names", () => {
  it.each(["a", "0", "a.b_c-d", "A".repeat(300)])("%j is a container ID and a network name", (value) => {
    expect(validateContainerId(value)).toBeUndefined();
    expect(validateNetworkName(value)).toBeUndefined();
  });

  it.each([".a", "-a", "_a", "a\n", "a/b", "a b", "é", "a:b", "a\0"])("%j is neither", (value) => {
    expect(validateContainerId(value)).toMatchObject({
      code: 4,
      message: "invalid characters in containerID",
      details: value,
    });
    expect(validateNetworkName(value)).toMatchObject({
      code: 7,
      message: "invalid characters found in network name",
      details: value,
    });
  });

  it("empty ones have errors of their own", () => {
    expect(validateContainerId("")).toMatchObject({ code: 3, message: "missing containerID" });
    expect(validateNetworkName("")).toMatchObject({ code: 7, message: "missing network name:" });
    expect(validateInterfaceName("")).toMatchObject({ code: 4, message: "interface name is empty" });
  });

  it.each(["eth0", "a%d", "...", "x@y", "a\u200bb", "a\ufeffb", "123456789012345"])(
    "%j is an interface name",
    (value) => {
      expect(validateInterfaceName(value)).toBeUndefined();
    },
  );

  it.each([
    [".", "interface name is . or .."],
    ["..", "interface name is . or .."],
    ["1234567890123456", "interface name is too long"],
    ["éééééééé", "interface name is too long"],
    ...[..."/:\t\n\v\f\r \u0085\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000"].map((character) => [
      `a${character}b`,
      "interface name contains / or : or whitespace characters",
    ]),
  ])("%j is no interface name", (value, message) => {
    expect(validateInterfaceName(value ?? "")).toMatchObject({ code: 4, message });
  });
});
