import { describe, expect, it } from "vitest";
import { policy, useDomainRig } from "../../support/domain-rig.ts";

describe("DEL while the ADD of the same sandbox runs (A15)", () => {
  it("ends the ADD, which is undone first, and finds nothing left to do", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    const held = rig.plugins.hold("alpha", "ADD");
    const added = rig.add();
    await held.begun;

    const deleted = rig.delete();

    await expect(added).rejects.toMatchObject({ failureClass: "not-ready" });
    await deleted;
    expect(rig.plugins.order).toEqual([
      "primary ADD c1/eth0",
      "alpha ADD c1/net1",
      "alpha DEL c1/net1",
      "primary DEL c1/eth0",
    ]);
    expect(rig.plugins.allocations.size).toBe(0);
  });

  it("delays no other sandbox", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    const held = rig.plugins.hold("alpha", "ADD");
    const added = rig.add();
    await held.begun;
    held.release();
    await added;
    const deleting = rig.plugins.hold("beta", "DEL");
    const deleted = rig.delete();
    await deleting.begun;

    await rig.add({ containerId: "c2" });

    deleting.release();
    await deleted;
    expect(rig.record("c2")?.state).toBe("added");
  });

  it("does not end an ADD that began after it", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    const late = rig.clock.nowNs().toString();
    const held = rig.plugins.hold("alpha", "ADD");
    const added = rig.add();
    await held.begun;

    const deleted = rig.delete({ startNs: late });
    held.release();

    await added;
    await deleted;
    expect(rig.record()?.state).toBe("added");
  });

  it("waits for its turn no longer than its caller does, and never runs then", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    await rig.add();
    const held = rig.plugins.hold("beta", "DEL");
    const first = rig.delete();
    await held.begun;

    await expect(rig.delete({ limitMs: 1010 })).rejects.toMatchObject({ failureClass: "deadline-exceeded" });

    held.release();
    await first;
    expect(rig.plugins.ordered("DEL")).toHaveLength(3);
  });
});

describe("what a roll back cannot undo", () => {
  it("is owed by the daemon whatever the policy, and settled later (A13)", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    rig.setPolicies("strict");
    rig.setPolicy("default/alpha", policy("lenient"));
    rig.plugins.fail("beta", "ADD");
    for (const type of ["beta", "alpha"]) rig.plugins.fail(type, "DEL");

    await expect(rig.add()).rejects.toMatchObject({ failureClass: "delegate-failed", code: 42 });

    expect(rig.owed()).toEqual(["default/alpha [0] pending", "default/beta [0] pending"]);
    rig.plugins.mendAll();
    await rig.untilNothingOwed();
    expect(rig.plugins.allocations.size).toBe(0);
    expect(rig.markers.marked.size).toBe(0);
  });
});
