import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalCidr, formatIp, parseIp } from "../../../src/cni/results/ip-address.ts";

describe("addresses", () => {
  it.each([
    ["10.0.0.1", "10.0.0.1"],
    ["FD00:0:0:0:0:0:0:5", "fd00::5"],
    ["::", "::"],
    ["::1", "::1"],
    ["1::", "1::"],
    ["::ffff:10.0.0.1", "10.0.0.1"],
    ["::10.0.0.1", "::a00:1"],
    ["64:ff9b::192.0.2.33", "64:ff9b::c000:221"],
    ["1:0:0:2:0:0:0:3", "1:0:0:2::3"],
    ["1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"],
    ["1:0:0:2:0:0:3:4", "1::2:0:0:3:4"],
    ["1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"],
  ])("%s is %s in canonical text", (text, canonical) => {
    const address = parseIp(text);
    expect(address && formatIp(address)).toBe(canonical);
  });

  it.each([
    "",
    "1.2.3",
    "1.2.3.4.5",
    "01.2.3.4",
    "256.1.1.1",
    "1.2.3.4 ",
    "fe80::1%eth0",
    ":::",
    "1::2::3",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "1:2:3:4:5:6:7::8",
    "12345::",
    "g::",
    "1.2.3.4::",
    ":1",
    "::1.2.3",
  ])("%j is no address", (text) => {
    expect(parseIp(text)).toBeUndefined();
  });

  it("read back to themselves", () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
        const canonical = formatIp(parseIp(text) ?? []);
        expect(formatIp(parseIp(canonical) ?? [])).toBe(canonical);
      }),
    );
  });

  it.each([
    ["10.1.0.5/16", "10.1.0.5/16"],
    ["10.0.0.1/08", "10.0.0.1/8"],
    ["::ffff:10.0.0.1/128", "10.0.0.1/32"],
    ["::ffff:10.0.0.1/64", "10.0.0.1/0"],
    ["FD00::5/64", "fd00::5/64"],
    ["::/0", "::/0"],
  ])("%s is %s with its length", (text, canonical) => {
    expect(canonicalCidr(text)).toBe(canonical);
  });

  it.each(["10.0.0.1", "10.0.0.1/", "10.0.0.1/33", "::/129", "::/-1", "::/+1", "::/1x", "/8", "<nil>"])(
    "%j is no address with a length",
    (text) => {
      expect(canonicalCidr(text)).toBeUndefined();
    },
  );
});
