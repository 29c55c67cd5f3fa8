import { describe, expect, it } from "vitest";
import { list, policy, useDomainRig } from "../../support/domain-rig.ts";

async function rigWithLostRecord() {
  const rig = await useDomainRig();
  rig.standardNetworks();
  await rig.add();
  rig.sandboxes.makeUnreadable("c1");
  return rig;
}

describe("DEL without a readable record", () => {
  it("calls every plugin all the same and succeeds (A04, A05)", async () => {
    const rig = await rigWithLostRecord();

    await rig.delete();

    expect(rig.plugins.ordered("DEL")).toEqual(["beta net2", "alpha net1", "primary eth0"]);
    expect(rig.plugins.allocations.size).toBe(0);
    expect(rig.sandboxes.entries()).toMatchObject([{ state: "done" }]);
  });

  it("goes by upstream's scratch file, with arguments and result of libcni's cache", async () => {
    const rig = await rigWithLostRecord();
    const added = rig.plugins.find("alpha", "ADD");
    rig.pods.clear();
    rig.definitions.clear();

    await rig.delete();

    const deleted = rig.plugins.find("alpha", "DEL");
    expect(deleted.args).toBe(added.args);
    expect(deleted.stdin.startsWith(added.stdin.slice(0, -1))).toBe(true);
    expect(deleted.stdin).toContain('"prevResult"');
  });

  it("goes by libcni's cache where there is no scratch file", async () => {
    const rig = await rigWithLostRecord();
    await rig.upstream.removeScratch("c1");
    rig.pods.clear();
    rig.definitions.clear();

    await rig.delete();

    expect(rig.plugins.ordered("DEL")).toEqual(["beta net2", "alpha net1", "primary eth0"]);
  });

  it("goes by the pod's annotations where nothing else is left", async () => {
    const rig = await rigWithLostRecord();
    await rig.upstream.removeScratch("c1");
    for (const name of ["alpha-net", "beta-net", "primary-net"]) {
      for (const ifName of ["eth0", "net1", "net2"]) await rig.cache.remove(name, "c1", ifName);
    }

    await rig.delete();

    expect(rig.plugins.ordered("DEL")).toEqual(["beta net2", "alpha net1", "primary eth0"]);
    expect(rig.plugins.find("alpha", "DEL").stdin).not.toContain("prevResult");
  });

  it.each([
    ["the pod is another one", "other-uid"],
    ["the pod is gone", "uid-p1"],
  ])("deletes the primary network where %s (A11)", async (_why, uid) => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    if (uid === "uid-p1") rig.pods.clear();

    await rig.delete({ uid });

    expect(rig.plugins.ordered("DEL")).toEqual(["primary eth0"]);
  });

  it("leaves the annotations aside while another sandbox of the pod lives here", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    await rig.add({ containerId: "c2" });

    await rig.delete();

    expect(rig.plugins.ordered("DEL")).toEqual(["primary eth0"]);
  });

  it("succeeds where no source can be read, whatever the caller sent", async () => {
    const rig = await useDomainRig({ overlay: { delegates: [], clusterNetwork: "nowhere" } });
    rig.pod("p1", "[broken");
    rig.upstream.makeUnreadable("c1");

    await rig.delete({ config: "no json at all" });

    expect(rig.plugins.runs).toEqual([]);
  });

  it("is not hidden from by one broken delegate of the scratch file", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    rig.pods.clear();
    await rig.upstream.writeScratch("c1", [
      { config: JSON.stringify(list("primary-net", ["primary"])), name: "primary-net" },
      { config: "{", name: "default/alpha" },
      { config: JSON.stringify(list("beta-net", ["beta"])), name: "default/beta" },
    ]);

    await rig.delete();

    expect(rig.plugins.ordered("DEL")).toEqual(["beta net2", "primary eth0"]);
  });

  it("has a record while it runs, so that strict attempts are counted and escalate", async () => {
    const rig = await rigWithLostRecord();
    rig.setPolicies("strict", { escalate: { attempts: 2, ageMs: 600_000 } });
    rig.plugins.fail("alpha", "DEL");

    await expect(rig.delete()).rejects.toThrow(/"default\/alpha"/);
    await expect(rig.delete()).rejects.toThrow(/"default\/alpha"/);
    await rig.delete();

    expect(rig.owed()).toEqual(["default/alpha [0] pending"]);
  });

  it("runs the plugins although its own record cannot be written", async () => {
    const rig = await rigWithLostRecord();
    rig.sandboxes.failWrites();

    await expect(rig.delete()).rejects.toMatchObject({ failureClass: "storage-failed" });

    expect(rig.plugins.allocations.size).toBe(0);
  });

  it("holds later tries to the namespace that the runtime named", async () => {
    const rig = await rigWithLostRecord();
    rig.setPolicy(
      "default/alpha",
      policy("deferred", { retry: { initialMs: 30, maxMs: 30, giveUpAfterMs: 1e9 } }),
    );
    rig.plugins.fail("alpha", "DEL");
    await rig.delete();
    expect(rig.plugins.find("alpha", "DEL").netns).toBe("/run/netns/c1");

    rig.namespaces.make("/run/netns/c1");
    rig.plugins.mendAll();
    await rig.untilNothingOwed();

    expect(rig.plugins.find("alpha", "DEL").netns).toBe("");
  });

  it("is settled by policy where namespaces cannot be looked at", async () => {
    const rig = await rigWithLostRecord();
    rig.namespaces.break();

    await rig.delete();

    expect(rig.plugins.ordered("DEL")).toEqual([]);
    expect(rig.owed()).toHaveLength(3);
    rig.namespaces.work();
    await rig.untilNothingOwed();
    expect(rig.plugins.allocations.size).toBe(0);
  });
});
