import { describe, expect, it } from "vitest";
import type { OwedResourceRule } from "../../../src/attachments/settings.ts";
import { type DomainRig, policy, type RigWishes, useDomainRig } from "../../support/domain-rig.ts";
import { waitFor } from "../../support/wait-for.ts";

const slow = { retry: { initialMs: 3_600_000, maxMs: 3_600_000, giveUpAfterMs: 1e12 } };

/** Pods p1 (c1) and p2 (c2) which both want device X of network `alpha`; a DEL that fails is not tried again by itself. */
async function rigWithDevice(plugins: readonly object[], wishes: RigWishes = {}): Promise<DomainRig> {
  const rig = await useDomainRig(wishes);
  rig.define("alpha", { cniVersion: "1.0.0", name: "alpha-net", plugins });
  for (const pod of ["p1", "p2"]) rig.pod(pod, JSON.stringify([{ name: "alpha", deviceID: "0000:3b:02.1" }]));
  rig.setPolicies("deferred", slow);
  setRule(rig, "proceed");
  return rig;
}

function setRule(rig: DomainRig, onOwedResource: OwedResourceRule): void {
  const { networks } = rig.settings;
  const alpha = { ...networks["default/alpha"], onOwedResource };
  rig.settings = { ...rig.settings, networks: { ...networks, "default/alpha": alpha } };
}

const ofP2 = { containerId: "c2", pod: "default/p2" };

function runsOfC1(rig: DomainRig, type: string): number {
  return rig.plugins.order.filter((run) => run === `${type} DEL c1/net1`).length;
}

async function retry(rig: DomainRig): Promise<string | undefined> {
  const id = rig.deletions.records()[0]?.id ?? "";
  return (await rig.domain.desk.retryDeletion(id))?.outcome;
}

describe("the device fence", () => {
  it("keeps an owed DEL from a device that a newer sandbox has, and says why as it gives up (A21)", async () => {
    const rig = await rigWithDevice([{ type: "alpha" }]);
    await rig.add();
    rig.plugins.fail("alpha", "DEL");
    await rig.delete();
    await rig.add(ofP2);
    rig.plugins.mendAll();

    const before = runsOfC1(rig, "alpha");
    expect(await retry(rig)).toBe("fenced");

    expect(runsOfC1(rig, "alpha")).toBe(before);
    expect(rig.owed()).toEqual(["default/alpha [0] dead"]);
    expect(rig.deletions.records()[0]?.reason).toBe('device "0000:3b:02.1" is held by a newer sandbox (c2)');
    expect(rig.instruments.retries).toContain("default/alpha fenced");
  });

  it("knows the newer sandbox after a restart too", async () => {
    const rig = await rigWithDevice([{ type: "alpha" }]);
    await rig.add();
    rig.plugins.fail("alpha", "DEL");
    await rig.delete();
    await rig.add(ofP2);
    rig.plugins.mendAll();
    const before = runsOfC1(rig, "alpha");

    await rig.restart();
    await waitFor("it is given up", () => rig.owed().join() === "default/alpha [0] dead");

    expect(runsOfC1(rig, "alpha")).toBe(before);
  });

  it("deletes the plugin's ipam by itself, with the plugin's own stdin and the old container", async () => {
    const rig = await rigWithDevice([{ type: "alpha", ipam: { type: "gamma" } }, { type: "beta" }]);
    await rig.add();
    for (const type of ["alpha", "beta"]) rig.plugins.fail(type, "DEL");
    await rig.delete();
    const own = rig.plugins.find("alpha", "DEL");
    await rig.add(ofP2);
    rig.plugins.mendAll();
    const before = runsOfC1(rig, "alpha");

    expect(await retry(rig)).toBe("settled");

    expect(runsOfC1(rig, "alpha")).toBe(before);
    expect(rig.plugins.find("gamma", "DEL")).toMatchObject({
      containerId: "c1",
      ifName: "net1",
      stdin: own.stdin,
    });
    expect(rig.plugins.order.filter((run) => !run.startsWith("gamma")).at(-1)).toBe("beta DEL c1/net1");
    expect(rig.owed()).toEqual([]);
    expect(JSON.stringify(rig.recorder.stepsOf({ namespace: "default", name: "p1" }))).toContain(
      "held by a newer sandbox",
    );
  });

  it("goes on owing an ipam that fails, and never runs the plugin for it", async () => {
    const rig = await rigWithDevice([{ type: "alpha", ipam: { type: "gamma" } }]);
    await rig.add();
    rig.plugins.fail("alpha", "DEL");
    await rig.delete();
    await rig.add(ofP2);
    rig.plugins.mendAll();
    rig.plugins.fail("gamma", "DEL");
    const before = runsOfC1(rig, "alpha");

    expect(await retry(rig)).toBe("failed");
    expect(rig.owed()).toEqual(["default/alpha [0] pending"]);
    rig.plugins.mendAll();
    expect(await retry(rig)).toBe("settled");

    expect(runsOfC1(rig, "alpha")).toBe(before);
  });

  it("stands before a runtime's own late DEL, whose other plugins run", async () => {
    const rig = await rigWithDevice([{ type: "alpha", capabilities: { deviceID: true } }, { type: "beta" }]);
    await rig.add();
    await rig.add(ofP2);

    await rig.delete();

    expect(runsOfC1(rig, "alpha")).toBe(0);
    expect(runsOfC1(rig, "beta")).toBe(1);
    await waitFor("it is given up", () => rig.owed().join() === "default/alpha [0] dead");
    await rig.delete(ofP2);
    expect(rig.plugins.order).toContain("alpha DEL c2/net1");
  });

  it("does not stand before a newer sandbox's DEL for the sake of an older one", async () => {
    const rig = await rigWithDevice([{ type: "alpha" }]);
    await rig.add();
    await rig.add(ofP2);

    await rig.delete(ofP2);

    expect(rig.plugins.order).toContain("alpha DEL c2/net1");
    expect(rig.owed()).toEqual([]);
  });

  it("is no matter of a strict policy: the runtime is not refused for it", async () => {
    const rig = await rigWithDevice([{ type: "alpha" }]);
    rig.setPolicies("strict");
    await rig.add();
    await rig.add(ofP2);

    await rig.delete();

    await waitFor("it is given up", () => rig.owed().join() === "default/alpha [0] dead");
  });
});

describe("the lock of a device", () => {
  it("keeps an ADD waiting while an owed DEL runs on it, so that neither sees the other half done", async () => {
    const rig = await rigWithDevice([{ type: "alpha" }]);
    await rig.add();
    rig.plugins.fail("alpha", "DEL");
    await rig.delete();
    rig.plugins.mendAll();
    const held = rig.plugins.hold("alpha", "DEL");
    const tried = retry(rig);
    await held.begun;

    const asked = rig.namespaces.asked;
    const added = rig.add(ofP2);
    await waitFor("the ADD is on its way", () => rig.namespaces.asked > asked + 1);
    expect(rig.record("c2")).toBeUndefined();
    held.release();

    expect(await tried).toBe("settled");
    await added;
    expect(rig.plugins.order.slice(-3)).toEqual([
      "alpha DEL c1/net1",
      "primary ADD c2/eth0",
      "alpha ADD c2/net1",
    ]);
  });

  it("is taken by an ADD before its intent: an owed DEL that comes meanwhile finds the new owner", async () => {
    const rig = await rigWithDevice([{ type: "alpha" }]);
    await rig.add();
    rig.plugins.fail("alpha", "DEL");
    await rig.delete();
    const held = rig.plugins.hold("alpha", "ADD");
    const added = rig.add(ofP2);
    await held.begun;
    rig.plugins.mendAll();
    const before = runsOfC1(rig, "alpha");

    const tried = retry(rig);
    held.release();
    await added;

    expect(await tried).toBe("fenced");
    expect(runsOfC1(rig, "alpha")).toBe(before);
  });

  it("is waited for no longer than the ADD's time", async () => {
    const rig = await rigWithDevice([{ type: "alpha" }]);
    await rig.add();
    const held = rig.plugins.hold("alpha", "DEL");
    const deleting = rig.delete();
    await held.begun;

    await expect(rig.add({ ...ofP2, limitMs: 200 })).rejects.toMatchObject({
      failureClass: "deadline-exceeded",
    });

    expect(rig.record("c2")).toBeUndefined();
    held.release();
    await deleting;
  });
});

describe("the address fence", () => {
  async function rigWithAddresses(): Promise<DomainRig> {
    const rig = await useDomainRig();
    const plugins = [{ type: "alpha", ipam: { type: "gamma" } }, { type: "beta" }];
    rig.define("alpha", { cniVersion: "1.0.0", name: "same-net", plugins });
    rig.define("beta", { cniVersion: "1.0.0", name: "same-net", plugins: [{ type: "alpha" }] });
    rig.setPolicies("deferred", slow);
    return rig;
  }

  const asking = (name: string, address: string) => JSON.stringify([{ name, ips: [address] }]);

  it("keeps an owed DEL from an address that a newer sandbox has on the same network", async () => {
    const rig = await rigWithAddresses();
    rig.pod("p1", asking("alpha", "fd00::5/64"));
    rig.pod("p2", asking("alpha", "fd00:0::0:5/64"));
    await rig.add();
    for (const type of ["alpha", "beta"]) rig.plugins.fail(type, "DEL");
    await rig.delete();
    await rig.add(ofP2);
    rig.plugins.mendAll();
    const before = runsOfC1(rig, "alpha");

    expect(await retry(rig)).toBe("fenced");

    expect(runsOfC1(rig, "alpha")).toBe(before);
    expect(rig.plugins.order.filter((run) => !run.startsWith("gamma")).at(-1)).toBe("beta DEL c1/net1");
    expect(rig.owed()).toEqual(["default/alpha [0] dead"]);
    expect(rig.deletions.records()[0]?.reason).toBe(
      'address fd00::5 of network "default/alpha" is held by a newer sandbox (c2)',
    );
  });

  it("takes two definitions with one CNI name for two networks", async () => {
    const rig = await rigWithAddresses();
    rig.pod("p1", asking("alpha", "10.9.0.5/24"));
    rig.pod("p2", asking("beta", "10.9.0.5/24"));
    await rig.add();
    rig.plugins.fail("alpha", "DEL");
    await rig.delete();
    await rig.add(ofP2);
    rig.plugins.mendAll();

    expect(await retry(rig)).toBe("settled");
  });

  it("knows addresses of results, and waits for an ADD whose result is not there yet", async () => {
    const rig = await rigWithAddresses();
    rig.pod("p1", "alpha");
    rig.pod("p2", "alpha");
    rig.plugins.address = () => "10.9.0.7/24";
    await rig.add();
    rig.plugins.fail("alpha", "DEL");
    await rig.delete();
    rig.plugins.mendAll();
    const before = runsOfC1(rig, "alpha");
    const held = rig.plugins.hold("alpha", "ADD");
    const added = rig.add(ofP2);
    await held.begun;
    const tried = retry(rig);
    await new Promise((resolve) => setImmediate(resolve));
    expect(runsOfC1(rig, "alpha")).toBe(before);
    held.release();

    expect(await tried).toBe("fenced");
    await added;
    expect(runsOfC1(rig, "alpha")).toBe(before);
    expect(rig.deletions.records()[0]?.reason).toContain("address 10.9.0.7");
  });
});

describe("the fence of the generation", () => {
  it("gives up what a newer life of the same container has, with its own reason", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    rig.setPolicy("default/alpha", policy("deferred", slow));
    await rig.add();
    rig.plugins.fail("alpha", "DEL");
    await rig.delete();
    await rig.add();
    rig.plugins.mendAll();

    expect(await retry(rig)).toBe("fenced");

    expect(rig.deletions.records()[0]?.reason).toBe("a newer sandbox has this container and interface");
  });
});

describe("the fence of the namespace", () => {
  it("gives the plugin no namespace where a new one has the old path and inode number", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    rig.setPolicy("default/alpha", policy("deferred", slow));
    await rig.add();
    rig.plugins.fail("alpha", "DEL");
    await rig.delete();
    rig.plugins.mendAll();
    const old = await rig.namespaces.identify("/run/netns/c1");
    rig.namespaces.make("/run/netns/c1");
    expect((await rig.namespaces.identify("/run/netns/c1"))?.inode).toBe(old?.inode);

    expect(await retry(rig)).toBe("settled");

    expect(rig.plugins.find("alpha", "DEL").netns).toBe("");
  });
});
