import { describe, expect, it } from "vitest";
import { policy, useDomainRig } from "../../support/domain-rig.ts";

describe("an ADD of a container that has debts", () => {
  it("tries them once first, and keeps them where they fail again", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    rig.setPolicy(
      "default/alpha",
      policy("deferred", { retry: { initialMs: 60_000, maxMs: 60_000, giveUpAfterMs: 1e9 } }),
    );
    await rig.add();
    rig.plugins.fail("alpha", "DEL");
    await rig.delete();
    const before = rig.plugins.runs.length;

    rig.plugins.mendAll();
    await rig.add();

    expect(rig.plugins.order.slice(before)).toEqual([
      "alpha DEL c1/net1",
      "primary ADD c1/eth0",
      "alpha ADD c1/net1",
      "beta ADD c1/net2",
    ]);
    expect(rig.owed()).toEqual([]);
  });

  it("never has a debt of before run against it afterwards (A21)", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    await rig.add();
    rig.plugins.fail("alpha", "DEL");
    await rig.delete();

    await rig.add();
    rig.plugins.mendAll();
    await expect.poll(() => rig.owed()).toEqual(["default/alpha [0] dead"]);

    expect(rig.plugins.allocations.has("alpha c1/net1")).toBe(true);
    expect(rig.deletions.records()).toMatchObject([
      { reason: expect.stringContaining("newer sandbox") as string },
    ]);
    expect(rig.instruments.dead).toEqual(["default/alpha fenced"]);
  });

  it("needs no second slot for them, so that ADDs in all slots do not wait for each other", async () => {
    const rig = await useDomainRig({ slots: { concurrent: 2, reservedForDel: 0 } });
    rig.standardNetworks();
    rig.plugins.fail("alpha", "DEL");
    for (const containerId of ["c1", "c2"]) {
      await rig.add({ containerId });
      await rig.delete({ containerId });
    }
    expect(rig.owed()).toHaveLength(2);

    await Promise.all([rig.add({ containerId: "c1" }), rig.add({ containerId: "c2" })]);

    expect(rig.record("c2")?.state).toBe("added");
  });

  it("waits for them no longer than its own time", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    await rig.add();
    rig.plugins.fail("alpha", "DEL");
    await rig.delete();
    rig.plugins.hang("alpha", "DEL");

    await expect(rig.add({ limitMs: 100 })).rejects.toMatchObject({ failureClass: "deadline-exceeded" });

    expect(rig.plugins.ordered("ADD")).toHaveLength(3);
    expect(rig.owed()).toEqual(["default/alpha [0] pending"]);
  });
});
