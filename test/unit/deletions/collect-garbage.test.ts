import { describe, expect, it } from "vitest";
import { list, policy, useDomainRig } from "../../support/domain-rig.ts";

const modern = { cniVersion: "1.1.0" };

async function rigWithTwo() {
  const rig = await useDomainRig({
    overlay: { delegates: [{ ...list("primary-net", ["primary"]), ...modern }] },
  });
  rig.standardNetworks();
  rig.define("alpha", { ...list("alpha-net", ["alpha"]), ...modern });
  rig.define("beta", { ...list("beta-net", ["beta"]), ...modern });
  await rig.add();
  await rig.add({ containerId: "c2" });
  return rig;
}

function validOf(stdin: string): readonly string[] {
  const { "cni.dev/valid-attachments": valid } = JSON.parse(stdin) as {
    "cni.dev/valid-attachments": { containerID: string; ifname: string }[];
  };
  return valid.map(({ containerID, ifname }) => `${containerID}/${ifname}`).sort();
}

describe("GC", () => {
  it("deletes what is neither listed nor has its namespace, and keeps the rest", async () => {
    const rig = await rigWithTwo();
    rig.namespaces.remove("/run/netns/c1");

    await rig.collectGarbage(["c2"]);

    expect(rig.plugins.ordered("DEL")).toEqual(["beta net2", "alpha net1", "primary eth0"]);
    expect(rig.record("c1")).toBeUndefined();
    expect(rig.record("c2")?.state).toBe("added");
  });

  it("keeps what the runtime lists although its namespace is gone, and what has its namespace although it is not listed", async () => {
    const rig = await rigWithTwo();
    rig.namespaces.remove("/run/netns/c1");

    await rig.collectGarbage(["c1"]);

    expect(rig.plugins.ordered("DEL")).toEqual([]);
  });

  it("takes a namespace that was made anew at the path for gone", async () => {
    const rig = await rigWithTwo();
    rig.namespaces.make("/run/netns/c1");

    await rig.collectGarbage(["c2"]);

    expect(rig.record("c1")).toBeUndefined();
    expect(rig.plugins.runs.filter(({ command }) => command === "DEL").map(({ netns }) => netns)).toEqual([
      "",
      "",
      "",
    ]);
  });

  it("gives each network's plugins what is valid there, pods' networks included", async () => {
    const rig = await rigWithTwo();

    await rig.collectGarbage(["c1", "c2"]);

    expect(validOf(rig.plugins.find("alpha", "GC").stdin)).toEqual([
      "c1/eth0",
      "c1/net1",
      "c2/eth0",
      "c2/net1",
    ]);
    expect(validOf(rig.plugins.find("primary", "GC").stdin)).toEqual(["c1/eth0", "c2/eth0"]);
    expect(rig.plugins.find("alpha", "GC").containerId).toBe("");
  });

  it("counts as valid what was attached while it ran", async () => {
    const rig = await rigWithTwo();
    rig.namespaces.make("/run/netns/c3");
    const held = rig.plugins.hold("primary", "GC");
    const collected = rig.collectGarbage(["c1", "c2"]);
    await held.begun;
    const adding = rig.add({ containerId: "c3" });
    held.release();

    await Promise.all([collected, adding]);
    await rig.collectGarbage(["c1", "c2"]);

    expect(validOf(rig.plugins.find("beta", "GC").stdin)).toContain("c3/net2");
  });

  it("waits for an ADD that is inside the network, and has it in its list", async () => {
    const rig = await rigWithTwo();
    rig.namespaces.make("/run/netns/c3");
    const held = rig.plugins.hold("beta", "ADD");
    const adding = rig.add({ containerId: "c3" });
    await held.begun;

    const collected = rig.collectGarbage(["c1", "c2"]);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(rig.plugins.ordered("GC")).toEqual([]);
    held.release();
    await Promise.all([collected, adding]);

    expect(validOf(rig.plugins.find("beta", "GC").stdin)).toContain("c3/net2");
  });

  it("keeps what a listed container has that is known to libcni's cache alone", async () => {
    const rig = await rigWithTwo();
    rig.sandboxes.makeUnreadable("c1");

    await rig.collectGarbage(["c1", "c2"]);

    expect(validOf(rig.plugins.find("beta", "GC").stdin)).toContain("c1/net2");
  });

  it("goes by the policy of what it deletes, and owes what a strict network fails at", async () => {
    const rig = await rigWithTwo();
    rig.setPolicy("default/alpha", policy("strict"));
    rig.setPolicy("default/beta", policy("lenient"));
    for (const type of ["alpha", "beta"]) rig.plugins.fail(type, "DEL");
    rig.namespaces.remove("/run/netns/c1");

    await rig.collectGarbage(["c2"]);

    expect(rig.owed()).toEqual(["default/alpha [0] pending"]);
    expect(rig.record("c1")).toBeUndefined();
  });

  it("names every network whose plugins failed, and has asked all of them", async () => {
    const rig = await rigWithTwo();
    for (const type of ["primary", "alpha"]) rig.plugins.fail(type, "GC");

    const collected = rig.collectGarbage(["c1", "c2"]);

    await expect(collected).rejects.toThrow(/"primary-net".*"default\/alpha"/s);
    expect(rig.plugins.ordered("GC")).toHaveLength(3);
  });

  it("is not stopped by a record whose configuration cannot be used", async () => {
    const rig = await rigWithTwo();
    const record = rig.record("c1");
    if (record === undefined) throw new Error("no record");
    const attachments = record.attachments.map((own) => ({
      ...own,
      config: "{",
      network: `${own.network}-torn`,
    }));
    await rig.sandboxes.save({ ...record, attachments });

    await rig.collectGarbage(["c1", "c2"]);

    expect(rig.plugins.ordered("GC")).toHaveLength(3);
  });

  it("refuses a list of attachments that is none, and names the element", async () => {
    const rig = await rigWithTwo();
    const config = { cniVersion: "1.1.0", "cni.dev/valid-attachments": [{ containerID: "c1" }] };

    await expect(rig.collectGarbage([], { config })).rejects.toThrow(/cni\.dev\/valid-attachments\[0\]/);
  });
});
