import { describe, expect, it } from "vitest";
import { buildNetworkStatus } from "../../../src/attachments/build-network-status.ts";
import { parseResult } from "../../../src/cni/index.ts";

function statusOf(result: object, isPrimary = false) {
  return buildNetworkStatus(
    "ns/net",
    parseResult(JSON.stringify({ cniVersion: "1.0.0", ...result }), ""),
    isPrimary,
  );
}

const inside = "/run/netns/x";

describe("buildNetworkStatus", () => {
  it("has one element for one interface, keys in upstream's order", () => {
    const status = statusOf(
      {
        interfaces: [{ name: "eth0", mac: "02:00:00:00:00:01", sandbox: inside }],
        ips: [
          { address: "10.0.0.5/24", gateway: "10.0.0.1", interface: 0 },
          { address: "fd00::5/64", interface: 0 },
        ],
        routes: [{ dst: "0.0.0.0/0", gw: "10.0.0.1" }, { dst: "10.1.0.0/16" }],
        dns: { nameservers: ["10.0.0.2"] },
      },
      true,
    );

    expect(JSON.stringify(status)).toBe(
      '[{"name":"ns/net","interface":"eth0","ips":["10.0.0.5","fd00::5"],"mac":"02:00:00:00:00:01","default":true,"dns":{"nameservers":["10.0.0.2"]},"gateway":["10.0.0.1"]}]',
    );
  });

  it("has an element for each interface in the sandbox, and none for the host's", () => {
    const status = statusOf(
      {
        interfaces: [
          { name: "cni0" },
          { name: "veth1" },
          { name: "eth0", sandbox: inside },
          { name: "eth1", sandbox: inside },
        ],
        ips: [
          { address: "10.0.0.5/24", interface: 2 },
          { address: "10.0.1.5/24", gateway: "10.0.1.1", interface: 3 },
        ],
      },
      true,
    );

    expect(status).toEqual([
      { name: "ns/net", interface: "eth0", ips: ["10.0.0.5"], dns: {} },
      { name: "ns/net", interface: "eth1", ips: ["10.0.1.5"], default: true, dns: {} },
    ]);
  });

  it("marks no interface of another network as default", () => {
    const [status] = statusOf({ interfaces: [{ name: "net1", sandbox: inside }] });

    expect(status).toEqual({ name: "ns/net", interface: "net1", dns: {} });
  });
});
