import { describe, expect, it } from "vitest";
import { printAsGo } from "../../../../src/cli/cni/print-as-go.ts";

describe("a result as cnitool prints it", () => {
  it("has sorted keys from 1.0.0 on, four blanks, and no newline at the end", () => {
    const result = { cniVersion: "1.0.0", interfaces: [{ name: "lo", mac: "0a" }], dns: {}, ips: [] };

    expect(printAsGo(result, "1.0.0")).toBe(`{
    "cniVersion": "1.0.0",
    "dns": {},
    "interfaces": [
        {
            "mac": "0a",
            "name": "lo"
        }
    ],
    "ips": []
}`);
  });

  it("has the keys of before 1.0.0 in the order of libcni's types", () => {
    const route = { gw: "10.0.0.1", dst: "0.0.0.0/0" };
    const result = {
      dns: {},
      routes: [route],
      ips: [{ gateway: "10.0.0.1", address: "10.0.0.2/8", interface: 0, version: "4" }],
      cniVersion: "0.4.0",
    };

    const keys = [...printAsGo(result, "0.4.0").matchAll(/"(\w+)":/g)].map(([, key]) => key);

    expect(keys.join(" ")).toBe("cniVersion ips version interface address gateway routes dst gw dns");
  });

  it("hides from HTML what Go hides", () => {
    expect(printAsGo({ name: "<&>\u2028" }, "1.0.0")).toContain('"\\u003c\\u0026\\u003e\\u2028"');
  });
});
