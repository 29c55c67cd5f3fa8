import { describe, expect, it } from "vitest";
import { policy, quickRetry, useDomainRig } from "../../support/domain-rig.ts";
import { waitFor } from "../../support/wait-for.ts";

describe("lenient", () => {
  it("gives the runtime its success after one try, and nothing stays", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    rig.setPolicies("lenient");
    await rig.add();
    rig.plugins.fail("alpha", "DEL");

    await rig.delete();

    expect(rig.owed()).toEqual([]);
    expect(rig.record()).toBeUndefined();
    expect(rig.instruments.delFailures).toEqual([
      { network: "default/alpha", plugin: "alpha", policy: "lenient", decision: "tolerated", code: 42 },
    ]);
  });
});

describe("deferred", () => {
  it("has the deletion on disk before the record goes, and settles it once the plugin works", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    await rig.add();
    rig.plugins.fail("alpha", "DEL");
    const order: string[] = [];
    const { save } = rig.sandboxes;
    rig.sandboxes.save = async (entry) => {
      order.push(`${entry.state} with ${rig.deletions.records().length} owed`);
      await save.call(rig.sandboxes, entry);
    };

    await rig.delete();

    expect(order.at(-1)).toBe("done with 1 owed");
    expect(rig.deletions.records()).toMatchObject([
      { attemptCount: 1, lastError: { plugin: "alpha", code: 42 } },
    ]);
    rig.plugins.mendAll();
    await rig.untilNothingOwed();
    expect(rig.plugins.find("alpha", "DEL").stdin).toContain('"prevResult"');
    expect(rig.plugins.allocations.size).toBe(0);
  });

  it("answers at once under firstAttempt none, and runs everything afterwards", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    rig.setPolicies("deferred", { firstAttempt: "none" });
    await rig.add();
    const held = rig.plugins.hold("beta", "DEL");

    await rig.delete();

    expect(rig.deletions.records().map(({ attemptCount }) => attemptCount)).toEqual([0, 0, 0]);
    held.release();
    await rig.untilNothingOwed();
    expect(rig.plugins.allocations.size).toBe(0);
  });

  it("returns the error and keeps the record where the deletion cannot be written", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    await rig.add();
    rig.plugins.fail("alpha", "DEL");
    rig.deletions.failWrites();

    await expect(rig.delete()).rejects.toMatchObject({ failureClass: "storage-failed" });

    expect(rig.record()).toBeDefined();
    rig.deletions.allowWrites();
    await rig.delete();
    expect(rig.owed()).toEqual(["default/alpha [0] pending"]);
  });
});

describe("policies of single plugins", () => {
  async function mixedChain() {
    const rig = await useDomainRig();
    rig.standardNetworks();
    rig.pod("p1", "alpha");
    rig.define("alpha", {
      cniVersion: "1.0.0",
      name: "alpha-net",
      plugins: [
        { type: "alpha" },
        { type: "beta", delErrorPolicy: { mode: "strict", escalate: { attempts: 1 } } },
        { type: "gamma", delErrorPolicy: "lenient" },
      ],
    });
    await rig.add();
    for (const type of ["alpha", "beta", "gamma"]) rig.plugins.fail(type, "DEL");
    return rig;
  }

  it("decide over their plugin alone and are not passed to it", async () => {
    const rig = await mixedChain();

    await expect(rig.delete()).rejects.toThrow(/plugin "beta"/);

    expect(rig.plugins.find("beta", "ADD").stdin).not.toContain("delErrorPolicy");
    expect(rig.owed()).toEqual(["default/alpha [0] pending"]);
    expect(rig.record()?.attachments).toMatchObject([{ network: "default/alpha", owed: [1] }]);
    const decisions = rig.instruments.delFailures.map(({ plugin, decision }) => `${plugin} ${decision}`);
    expect(decisions).toEqual(["gamma tolerated", "beta returned", "alpha deferred"]);
  });

  it("add what escalates to what is owed of the same network already", async () => {
    const rig = await mixedChain();
    await expect(rig.delete()).rejects.toThrow();

    await rig.delete();

    expect(rig.owed()).toEqual(["default/alpha [0,1] pending"]);
    for (const type of ["alpha", "beta"]) rig.plugins.mend(type, "DEL");
    await rig.untilNothingOwed();
    expect([...rig.plugins.allocations.keys()]).toEqual(["gamma c1/net1"]);
  });

  it("lose nothing where an escalation meets a try that is running", async () => {
    const rig = await mixedChain();
    const held = rig.plugins.hold("alpha", "DEL");
    rig.setPolicy("default/gamma", policy("deferred"));
    const first = rig.delete();
    await held.begun;
    held.release();
    await expect(first).rejects.toThrow();
    const retry = rig.plugins.hold("alpha", "DEL");
    await retry.begun;

    await rig.delete();
    rig.plugins.mend("alpha", "DEL");
    retry.release();
    await waitFor("the first plugin is done", () => rig.owed().join() === "default/alpha [1] pending");
    rig.plugins.mend("beta", "DEL");

    await rig.untilNothingOwed();
    expect([...rig.plugins.allocations.keys()]).toEqual(["gamma c1/net1"]);
  });
});

describe("ignore rules", () => {
  it("make a failure count as done, and are counted themselves (A20)", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    rig.setPolicies("strict", { ignore: ["gone", { code: 3 }, { message: "^never was" }] });
    await rig.add();
    rig.plugins.fail("beta", "DEL", { code: 100, msg: "Link not found" });
    rig.plugins.fail("alpha", "DEL", { code: 3, msg: "unknown" });
    rig.plugins.fail("primary", "DEL", { code: 100, msg: "never was here" });

    await rig.delete();

    expect(rig.instruments.delFailures.map(({ decision }) => decision)).toEqual([
      "ignored",
      "ignored",
      "ignored",
    ]);
    expect(rig.record()).toBeUndefined();
  });

  it("count at a retry too", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    await rig.add();
    rig.plugins.fail("alpha", "DEL", { code: 100, msg: "no such device" });
    await rig.delete();

    rig.setPolicy("default/alpha", policy("deferred", { ignore: ["gone"], retry: quickRetry }));

    await rig.untilNothingOwed();
  });
});
