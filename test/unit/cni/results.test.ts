import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  compareVersions,
  convertResult,
  InvalidResultError,
  parseResult,
  printResult,
  supportedVersions,
  UnsupportedVersionError,
} from "../../../src/cni/index.ts";
import { hostileJson } from "./hostile-json.ts";

function reprint(value: unknown): unknown {
  return JSON.parse(printResult(parseResult(JSON.stringify(value))));
}

/** The result in another version, as JSON. */
function convert(value: unknown, version: string): unknown {
  return JSON.parse(printResult(convertResult(parseResult(JSON.stringify(value)), version)));
}

describe("a result", () => {
  const full = {
    cniVersion: "1.1.0",
    interfaces: [{ name: "eth0", mac: "aa", mtu: 9000, socketPath: "/s", pciID: "0000:00:01.0" }],
    ips: [
      { address: "10.0.0.1/8", gateway: "10.0.0.254", interface: 0 },
      { address: "10.0.0.2/8" },
      { address: "fd00::1/64" },
    ],
    routes: [
      { dst: "0.0.0.0/0", gw: "10.0.0.254", mtu: 1400, table: 7, scope: 1 },
      { dst: "::/0", gw: "fd00::ff" },
    ],
  };

  it("case 63: of 1.1.0 loses what 0.4.0 has no key for, and keeps attributes of routes", () => {
    expect(convert(full, "0.4.0")).toEqual({
      cniVersion: "0.4.0",
      interfaces: [{ name: "eth0", mac: "aa" }],
      ips: [
        { version: "4", address: "10.0.0.1/8", gateway: "10.0.0.254", interface: 0 },
        { version: "4", address: "10.0.0.2/8" },
        { version: "6", address: "fd00::1/64" },
      ],
      routes: full.routes,
      dns: {},
    });
  });

  it("case 63: of 1.1.0 becomes one of 0.2.0 with the first address of each family and its routes", () => {
    expect(convert(full, "0.2.0")).toEqual({
      cniVersion: "0.2.0",
      ip4: { ip: "10.0.0.1/8", gateway: "10.0.0.254", routes: [{ dst: "0.0.0.0/0", gw: "10.0.0.254" }] },
      ip6: { ip: "fd00::1/64", routes: [{ dst: "::/0", gw: "fd00::ff" }] },
      dns: {},
    });
    const v4 = { ...full, ips: full.ips.slice(0, 2) };
    expect(convert(v4, "0.2.0")).not.toHaveProperty("ip6");
  });

  it("case 64: without addresses cannot become one of 0.2.0, but the other way it can", () => {
    expect(() => convertResult(parseResult('{"cniVersion":"1.1.0"}'), "0.2.0")).toThrow(
      "no valid IP addresses",
    );
    expect(printResult(convertResult(parseResult('{"cniVersion":"0.2.0"}'), "1.1.0"))).toBe(
      '{"cniVersion":"1.1.0"}',
    );
  });

  it("case 65: keeps interface, table and scope 0, and loses other zeros", () => {
    const written = {
      cniVersion: "1.1.0",
      interfaces: [{ name: "", mtu: 0 }],
      ips: [{ interface: 0, address: "10.0.0.1/8" }],
      routes: [{ dst: "0.0.0.0/0", mtu: 0, priority: 0, advmss: 0, table: 0, scope: 0 }],
    };
    expect(reprint(written)).toEqual({
      cniVersion: "1.1.0",
      interfaces: [{ name: "" }],
      ips: [{ interface: 0, address: "10.0.0.1/8" }],
      routes: [{ dst: "0.0.0.0/0", table: 0, scope: 0 }],
    });
  });

  it("case 65: has an empty dns up to 0.4.0 and none from 1.0.0 on", () => {
    expect(reprint({ cniVersion: "0.4.0" })).toEqual({ cniVersion: "0.4.0", dns: {} });
    expect(reprint({ cniVersion: "1.0.0", dns: {} })).toEqual({ cniVersion: "1.0.0" });
  });

  it.each([
    [{ ips: [null] }, "null element in ips"],
    [{ interfaces: [null] }, "null element in interfaces"],
    [{ routes: [null] }, "null element in routes"],
    [{ ips: [{}] }, "element without address in ips"],
    [{ ips: [{ address: "<nil>" }] }, "invalid CIDR address: <nil>"],
    [{ routes: [{ gw: "10.0.0.1" }] }, "element without dst in routes"],
    [{ ips: [{ address: "10.0.0.1/8", interface: 2 ** 60 }] }, "cannot unmarshal number"],
    [{ interfaces: [{ name: "a", mtu: "1500" }] }, "cannot unmarshal string into Go struct field Interface"],
  ])("case 66: is refused as %j", (fields, message) => {
    const read = () => parseResult(JSON.stringify({ cniVersion: "1.1.0", ...fields }));
    expect(read).toThrow(InvalidResultError);
    expect(read).toThrow(message);
  });

  it("of 0.2.0 is refused with an address slot that is empty", () => {
    expect(() => parseResult('{"cniVersion":"0.2.0","ip4":{}}')).toThrow("element without ip in ip4");
  });

  it("ignores keys that its version does not have, whatever they hold", () => {
    const ips = [{ address: "10.0.0.1/8", version: 4 }];
    expect(reprint({ cniVersion: "1.0.0", ips })).toMatchObject({ ips: [{ address: "10.0.0.1/8" }] });
    const interfaces = [{ name: "a", mtu: "big", pciID: 1 }];
    expect(reprint({ cniVersion: "0.4.0", interfaces })).toMatchObject({ interfaces: [{ name: "a" }] });
  });

  it("without a version is of the fallback version", () => {
    expect(parseResult("{}").cniVersion).toBe("0.1.0");
    expect(parseResult('{"cniVersion":null}', "1.0.0").cniVersion).toBe("1.0.0");
    expect(parseResult('{"cniVersion":"0.4.0"}', "1.0.0").cniVersion).toBe("0.4.0");
    expect(() => parseResult("{}", "banana")).toThrow(UnsupportedVersionError);
  });

  it("replaces lone surrogates, which no file could hold", () => {
    expect(reprint({ cniVersion: "1.1.0", interfaces: [{ name: "a\ud800" }] })).toMatchObject({
      interfaces: [{ name: "a\ufffd" }],
    });
  });

  const address = fc.oneof(
    fc.tuple(fc.ipV4(), fc.nat(32)).map(([ip, length]) => `${ip}/${length}`),
    fc.tuple(fc.ipV6(), fc.nat(128)).map(([ip, length]) => `${ip}/${length}`),
  );
  const anyResult = fc.record({
    cniVersion: fc.constantFrom("0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"),
    interfaces: fc.array(
      fc.record({ name: fc.string(), mac: fc.string(), mtu: fc.nat(), pciID: fc.string() }),
    ),
    ips: fc.array(fc.record({ address, version: fc.constantFrom("4", "6"), interface: fc.integer() })),
    routes: fc.array(fc.record({ dst: address, scope: fc.nat(), priority: fc.integer() })),
    dns: fc.record({ nameservers: fc.array(fc.string()), domain: fc.string() }),
  });

  it("reads back to itself from its text, in every version that it converts to", () => {
    fc.assert(
      fc.property(anyResult, fc.constantFrom(...supportedVersions), (value, version) => {
        const result = parseResult(JSON.stringify(value));
        if (version < "0.3.0" && result.ips.length === 0) return;
        const converted = convertResult(result, version);
        expect(converted.cniVersion).toBe(version);
        expect(parseResult(printResult(converted))).toEqual(converted);
      }),
    );
  });

  it("loses nothing but what the older version has no place for on the way to 0.4.0 and back", () => {
    fc.assert(
      fc.property(anyResult, (value) => {
        const result = parseResult(JSON.stringify({ ...value, cniVersion: "1.1.0" }));
        const back = convertResult(convertResult(result, "0.4.0"), "1.1.0");
        const interfaces = result.interfaces.map(({ mtu: _mtu, pciId: _pciId, ...rest }) => rest);
        expect(back).toEqual({ ...result, interfaces });
      }),
    );
  });

  it("is read from any text without ending otherwise than with a result or a CniError", () => {
    const keys = ["cniVersion", "interfaces", "ips", "routes", "dns", "ip4", "address", "dst", "ip", "mtu"];
    const text = fc.oneof(
      fc.string(),
      fc
        .tuple(fc.constantFrom(...supportedVersions), hostileJson(keys))
        .map(([cniVersion, fields]) => JSON.stringify({ ...(fields as object), cniVersion })),
      hostileJson(keys).map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(text, (input) => {
        try {
          parseResult(input);
        } catch (error) {
          const isExpected = error instanceof InvalidResultError || error instanceof UnsupportedVersionError;
          expect(isExpected).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("versions", () => {
  it.each([
    ["", "0.1.0", 0],
    ["1", "1.0.0", 0],
    ["+1.0", "1.0.0", 0],
    ["01.0.0", "1.0.0", 0],
    ["0.10.0", "0.4.0", 1],
    ["-1", "0.1.0", -1],
    ["1.0.0", "1.1.0", -1],
  ])("%j against %j gives %d", (left, right, expected) => {
    expect(Math.sign(compareVersions(left, right))).toBe(expected);
    expect(Math.sign(compareVersions(right, left))).toBe(-expected + 0);
  });

  it.each([
    [
      "banana",
      'failed to convert major version part "banana": strconv.Atoi: parsing "banana": invalid syntax',
    ],
    ["1.x", 'failed to convert minor version part "x": strconv.Atoi: parsing "x": invalid syntax'],
    ["1..0", 'failed to convert minor version part "": strconv.Atoi: parsing "": invalid syntax'],
    ["1.1.0-rc1", 'failed to convert micro version part "0-rc1"'],
    ["1.2.3.4", 'invalid version "1.2.3.4": too many parts'],
  ])("%j is none", (version, message) => {
    expect(() => compareVersions(version, "1.0.0")).toThrow(message);
    expect(() => compareVersions("1.0.0", version)).toThrow(UnsupportedVersionError);
  });
});
