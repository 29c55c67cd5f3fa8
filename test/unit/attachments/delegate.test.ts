import { describe, expect, it } from "vitest";
import { searchPath } from "../../../src/attachments/build-delegates.ts";
import { type ChosenNetwork, capabilityArguments, delegateArgs } from "../../../src/attachments/delegate.ts";
import { nameInterfaces } from "../../../src/attachments/interface-names.ts";
import type { NetworkSelection } from "../../../src/attachments/network-selection.ts";
import { defaultErrorPolicy } from "../../../src/attachments/parse-error-policy.ts";
import { parseNetworkListOrPlugin } from "../../../src/cni/index.ts";

const selection: NetworkSelection = { namespace: "n", name: "a" };

function invocation(args: readonly (readonly [string, string])[]) {
  return { containerId: "c1", ifName: "eth0", args };
}

function chosen(network: string, wished?: string): ChosenNetwork {
  const list = parseNetworkListOrPlugin('{"cniVersion":"1.0.0","name":"n","type":"t"}');
  const base = {
    network,
    list,
    policy: { policy: defaultErrorPolicy, source: "default" as const },
    pluginPolicies: {},
  };
  return wished === undefined ? base : { ...base, selection: { ...selection, interface: wished } };
}

describe("delegateArgs", () => {
  it("gives the pod's names in upstream's order, then what was wished", () => {
    const given = [
      ["K8S_POD_UID", "u"],
      ["K8S_POD_NAME", "p"],
      ["K8S_POD_NAMESPACE", "n"],
      ["IgnoreUnknown", "1"],
      ["OTHER", "x"],
    ] as const;

    expect(
      delegateArgs(invocation(given), {
        ...selection,
        mac: "02:00:00:00:00:01",
        ips: ["10.0.0.1", "10.0.0.2"],
      }),
    ).toEqual([
      ["IgnoreUnknown", "true"],
      ["K8S_POD_NAMESPACE", "n"],
      ["K8S_POD_NAME", "p"],
      ["K8S_POD_INFRA_CONTAINER_ID", "c1"],
      ["K8S_POD_UID", "u"],
      ["MAC", "02:00:00:00:00:01"],
      ["IP", "10.0.0.1,10.0.0.2"],
    ]);
  });

  it("hands arguments of a runtime that knows no pods on, in their order", () => {
    expect(
      delegateArgs(
        invocation([
          ["B", "1"],
          ["IgnoreUnknown", "0"],
          ["A", "2"],
        ]),
        undefined,
      ),
    ).toEqual([
      ["IgnoreUnknown", "true"],
      ["B", "1"],
      ["A", "2"],
    ]);
  });
});

describe("capabilityArguments", () => {
  it("are the runtime's, replaced key by key by what the pod asked of the network", () => {
    const runtime = { portMappings: "[1]", bandwidth: "{}", dns: '{"a":1}' };
    const asked: NetworkSelection = {
      ...selection,
      portMappings: "[]",
      ips: ["10.0.0.1/24"],
      mac: "02:00:00:00:00:01",
      infinibandGuid: "g",
      deviceId: "d",
    };

    expect(capabilityArguments(runtime, asked)).toEqual({
      portMappings: "[]",
      bandwidth: "{}",
      dns: '{"a":1}',
      ips: '["10.0.0.1/24"]',
      mac: '"02:00:00:00:00:01"',
      infinibandGUID: '"g"',
      deviceID: '"d"',
    });
    expect(capabilityArguments(runtime, undefined)).toEqual(runtime);
  });
});

describe("nameInterfaces", () => {
  it("counts in the whole list, and gives what was asked for", () => {
    expect(nameInterfaces([chosen("p"), chosen("a", "lan0"), chosen("b")], "eth0")).toEqual([
      "eth0",
      "lan0",
      "net2",
    ]);
    expect(nameInterfaces([chosen("p", "ext0"), chosen("a")], "eth0")).toEqual(["ext0", "net1"]);
  });

  it("refuses two networks that want one name, and names both", () => {
    expect(() => nameInterfaces([chosen("p"), chosen("n/a", "net2"), chosen("n/b")], "eth0")).toThrow(
      /"n\/b".*"net2".*"n\/a"/,
    );
    expect(() => nameInterfaces([chosen("p"), chosen("n/a", "eth0")], "eth0")).toThrow(/"n\/a".*"eth0".*"p"/);
  });
});

describe("searchPath", () => {
  it("has the operator's directories first, the runtime's last, each once", () => {
    expect(searchPath("/bin", ["/own", ""], ["/own", "/runtime", "/bin"])).toEqual([
      "/bin",
      "/own",
      "/runtime",
    ]);
  });
});
