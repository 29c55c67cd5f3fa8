import { describe, expect, it } from "vitest";
import { heldResources } from "../../../src/attachments/held-resources.ts";

type Attachment = Parameters<typeof heldResources>[0];

function held(plugins: readonly object[], keys: Partial<Attachment> = {}): readonly string[] {
  const config = JSON.stringify({ cniVersion: "1.0.0", name: "net", plugins });
  const attachment = { network: "ns/net", config, args: [], capabilityArgs: {}, ...keys };
  return heldResources(attachment).map(
    ({ text, isFixed, usedBy }) => `${text}${isFixed ? "" : " (chosen)"} used by ${usedBy.join(",")}`,
  );
}

const result = (address: string) =>
  JSON.stringify({ cniVersion: "1.0.0", interfaces: [{ name: "net1" }], ips: [{ address, interface: 0 }] });

describe("the device of an attachment", () => {
  it("is used by the plugin that takes it as an argument, else by the one that makes the interface", () => {
    const plain = [{ type: "sriov" }, { type: "tuning" }];
    expect(held(plain, { deviceId: "0000:01:00.1" })).toEqual(['device "0000:01:00.1" used by 0']);
    const chained = [{ type: "sriov" }, { type: "rdma", capabilities: { deviceID: true } }];
    expect(held(chained, { deviceId: "0000:01:00.1" })).toEqual(['device "0000:01:00.1" used by 1']);
  });

  it("may be written in the configuration or be the runtime's argument", () => {
    expect(held([{ type: "host-device", device: "eth7" }])).toEqual(['device "eth7" used by 0']);
    expect(held([{ type: "sriov", deviceID: "0000:01:00.1" }])).toEqual(['device "0000:01:00.1" used by 0']);
    expect(held([{ type: "sriov" }], { capabilityArgs: { deviceID: '"0000:01:00.1"' } })).toHaveLength(1);
    expect(held([{ type: "other", device: "eth7" }])).toEqual([]);
  });
});

describe("the addresses of an attachment", () => {
  const user = { type: "macvlan", ipam: { type: "host-local" } };

  it("are fixed where the pod, CNI_ARGS or a static ipam asks for them", () => {
    expect(held([user], { args: [["IP", "10.0.0.5/24,10.0.0.6"]] })).toEqual([
      'address 10.0.0.5 of network "ns/net" used by 0',
      'address 10.0.0.6 of network "ns/net" used by 0',
    ]);
    const capable = { ...user, capabilities: { ips: true } };
    expect(held([capable], { capabilityArgs: { ips: '["10.0.0.7/24"]' } })).toHaveLength(1);
    expect(held([user], { capabilityArgs: { ips: '["10.0.0.7/24"]' } })).toEqual([]);
    const fixed = { type: "macvlan", ipam: { type: "static", addresses: [{ address: "10.0.0.8/24" }] } };
    expect(held([fixed])).toHaveLength(1);
  });

  it("have one spelling, so that what was asked for and what came of it are the same", () => {
    const keys = { args: [["IP", "FD00:0::0005/64"]] as const, result: result("fd00::5/64") };
    expect(held([user], keys)).toEqual(['address fd00::5 of network "ns/net" used by 0']);
  });

  it("are those of the result where an ipam chose them, and firewall goes by them too", () => {
    const list = [user, { type: "tuning" }, { type: "firewall" }];
    expect(held(list, { result: result("10.0.0.9/24") })).toEqual([
      'address 10.0.0.9 of network "ns/net" (chosen) used by 0,2',
    ]);
  });
});

describe("what cannot be read", () => {
  it("holds nothing, and never throws", () => {
    const hostile: Partial<Attachment>[] = [
      { config: "{" },
      { result: "junk" },
      { capabilityArgs: { deviceID: "{", ips: '{"a":1}' } },
      { args: [["IP", "nowhere,,%,fe80::1%eth0,::g"]] },
    ];
    for (const keys of hostile) expect(held([{ type: "a", capabilities: { ips: true } }], keys)).toEqual([]);
    const odd = [
      { type: "a", ipam: { type: "static", addresses: [{ address: 7 }, null] }, args: { cni: { ips: 3 } } },
    ];
    expect(held(odd)).toEqual([]);
  });
});
