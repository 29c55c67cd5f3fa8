import { describe, expect, it } from "vitest";
import { list, policy, useDomainRig } from "../../support/domain-rig.ts";
import { waitFor } from "../../support/wait-for.ts";

describe("strict", () => {
  it("returns one error for all failed networks, with the first one's code, and deletes the rest", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    rig.setPolicies("strict");
    await rig.add();
    rig.plugins.fail("beta", "DEL", { code: 77, msg: "no beta" });
    rig.plugins.fail("primary", "DEL", { code: 42, msg: "no primary" });

    const refused = rig.delete();

    await expect(refused).rejects.toMatchObject({ failureClass: "delegate-failed", code: 77 });
    await expect(refused).rejects.toThrow(/"default\/beta".*code 77.*no beta.*"primary-net".*code 42/s);
    expect([...rig.plugins.allocations.keys()]).toEqual(["primary c1/eth0", "beta c1/net2"]);
    expect(rig.record()).toMatchObject({
      state: "deleting",
      attachments: [{ network: "primary-net" }, { network: "default/beta" }],
    });
  });

  it("runs only what failed at the next call, and its text is the same byte for byte", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    rig.setPolicies("strict");
    rig.define("alpha", list("alpha-net", ["alpha", "tuning"]));
    await rig.add();
    rig.plugins.fail("alpha", "DEL");
    const text = async () => await rig.delete().catch((error: Error) => error.message);
    const first = await text();
    const before = rig.plugins.runs.length;

    const second = await text();

    expect(rig.plugins.order.slice(before)).toEqual(["alpha DEL c1/net1"]);
    expect(second).toBe(first);
    rig.plugins.mendAll();
    await rig.delete();
    expect(rig.plugins.order.slice(before)).toEqual(["alpha DEL c1/net1", "alpha DEL c1/net1"]);
    expect(rig.plugins.allocations.size).toBe(0);
    expect(rig.markers.marked.size).toBe(0);
  });

  it("becomes deferred after escalate.attempts refusals, counted across restarts", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    rig.setPolicies("strict", { escalate: { attempts: 3, ageMs: 600_000 } });
    await rig.add();
    rig.plugins.fail("alpha", "DEL");
    await expect(rig.delete()).rejects.toThrow();
    await rig.restart();
    await expect(rig.delete()).rejects.toThrow();
    await rig.restart();
    await expect(rig.delete()).rejects.toThrow();

    await rig.delete();

    expect(rig.owed()).toEqual(["default/alpha [0] pending"]);
    expect(rig.instruments.delFailures.at(-1)).toMatchObject({ policy: "strict", decision: "escalated" });
    rig.plugins.mendAll();
    await rig.untilNothingOwed();
    expect(rig.plugins.allocations.size).toBe(0);
  });

  it("becomes deferred at escalate.age by a timer, without a further call", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    rig.setPolicies("strict", { escalate: { attempts: 20, ageMs: 40 } });
    await rig.add();
    rig.plugins.fail("alpha", "DEL");

    await expect(rig.delete()).rejects.toThrow();

    await waitFor("the refusal is handed over", () => rig.owed().length === 1);
    rig.plugins.mendAll();
    await rig.untilNothingOwed();
    expect(rig.record()).toBeUndefined();
    expect(rig.markers.marked.size).toBe(0);
  });

  it("hands each network over at its own age", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    rig.setPolicies("strict", { escalate: { attempts: 20, ageMs: 30 } });
    rig.setPolicy("default/beta", policy("strict", { escalate: { attempts: 20, ageMs: 90 } }));
    await rig.add();
    for (const type of ["alpha", "beta"]) rig.plugins.fail(type, "DEL");

    await expect(rig.delete()).rejects.toThrow();

    await waitFor("the first one is handed over", () => rig.owed().length === 1);
    expect(rig.owed()).toEqual(["default/alpha [0] pending"]);
    await waitFor("the second one is handed over", () => rig.owed().length === 2, 2000);
  });

  it("is handed over by the timer of the next daemon too", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    rig.setPolicies("strict");
    await rig.add();
    rig.plugins.fail("alpha", "DEL");
    await expect(rig.delete()).rejects.toThrow();
    rig.clock.advance(600_000);

    await rig.restart();

    await waitFor("the refusal is handed over", () => rig.owed().length === 1);
  });

  it("is freed by the operator's networks setting, which counts for what is owed to the runtime too", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    rig.setPolicies("strict");
    await rig.add();
    rig.plugins.fail("alpha", "DEL");
    await expect(rig.delete()).rejects.toThrow();

    rig.setPolicy("default/alpha", policy("lenient"));
    await rig.delete();

    expect(rig.owed()).toEqual([]);
    expect(rig.record()).toBeUndefined();
  });

  it("names time as the cause where a plugin was ended, with code 11", async () => {
    const rig = await useDomainRig({ timeouts: { pluginMs: 30 } });
    rig.standardNetworks();
    rig.setPolicies("strict");
    await rig.add();
    rig.plugins.hang("alpha", "DEL");

    await expect(rig.delete()).rejects.toMatchObject({ failureClass: "deadline-exceeded", code: 11 });
  });
});
