import { describe, expect, it } from "vitest";
import { policy, useDomainRig } from "../../support/domain-rig.ts";
import { waitFor } from "../../support/wait-for.ts";

describe("after a kill -9", () => {
  it("an ADD that was under way is rolled back at once, with the results that there are (A22)", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    const held = rig.plugins.hold("beta", "ADD");
    void rig.add().catch(() => undefined);
    await held.begun;

    await rig.restart();

    expect(rig.plugins.ordered("DEL")).toEqual(["beta net2", "alpha net1", "primary eth0"]);
    expect(rig.plugins.find("alpha", "DEL").stdin).toContain('"prevResult"');
    expect(rig.plugins.allocations.size).toBe(0);
    const runs = rig.plugins.runs.length;
    await rig.delete();
    expect(rig.plugins.runs).toHaveLength(runs);
  });

  it("an attached sandbox stays as it is", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    const result = await rig.add();

    await rig.restart();

    expect(rig.plugins.ordered("DEL")).toEqual([]);
    expect(await rig.add()).toBe(result);
  });

  it("a DEL that was under way is finished without a further call, by policy", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    rig.setPolicy("default/alpha", policy("strict"));
    await rig.add();
    rig.plugins.fail("alpha", "DEL");
    const held = rig.plugins.hold("primary", "DEL");
    void rig.delete().catch(() => undefined);
    await held.begun;
    await waitFor("its progress is written", () => rig.record()?.state === "deleting");

    rig.kill();
    held.release();
    await rig.restart();

    expect(rig.record()).toMatchObject({
      state: "deleting",
      attachments: [{ network: "default/alpha" }],
      refusals: { count: 1 },
    });
    expect(rig.plugins.ordered("DEL").slice(3)).toEqual(["alpha net1", "primary eth0"]);
  });

  it("a roll back that was under way is finished, and what fails is owed whatever the policy", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    rig.setPolicies("lenient");
    rig.plugins.fail("beta", "ADD");
    rig.plugins.fail("alpha", "DEL");
    const held = rig.plugins.hold("primary", "DEL");
    void rig.add().catch(() => undefined);
    await held.begun;
    await waitFor("its progress is written", () => rig.record()?.attachments[2]?.owed?.length === 0);

    rig.kill();
    held.release();
    await rig.restart();

    expect(rig.owed()).toEqual(["default/alpha [0] pending"]);
    expect([...rig.plugins.allocations.keys()]).toEqual(["alpha c1/net1"]);
    expect(rig.plugins.ordered("DEL").filter((run) => run === "beta net2")).toHaveLength(1);
  });

  it("a roll back does not meet the DEL of the same sandbox", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    const held = rig.plugins.hold("beta", "ADD");
    void rig.add().catch(() => undefined);
    await held.begun;
    held.release();

    const restarted = rig.restart();
    const deleted = rig.delete();
    await Promise.all([restarted, deleted]);

    expect(rig.plugins.ordered("DEL")).toEqual(["beta net2", "alpha net1", "primary eth0"]);
  });
});
