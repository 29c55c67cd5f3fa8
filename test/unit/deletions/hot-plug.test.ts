import { describe, expect, it } from "vitest";
import { list, policy, useDomainRig } from "../../support/domain-rig.ts";

const gamma = list("gamma-net", ["gamma"]);

async function rigWithHotPlug(config: object = gamma) {
  const rig = await useDomainRig();
  rig.standardNetworks();
  await rig.add();
  await rig.attach("hot0", config);
  return rig;
}

describe("hot-plug", () => {
  it("attaches one more network and answers with its result at 1.1.0", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    await rig.add();

    const result = await rig.attach("hot0", gamma);

    expect(JSON.parse(result)).toMatchObject({ cniVersion: "1.1.0", interfaces: [{ name: "hot0" }] });
    expect(rig.record("c1", "hot0")).toMatchObject({ state: "added", hotPlugged: true });
    expect(rig.plugins.find("gamma", "ADD").stdin).not.toContain("delegates");
  });

  it("is taken down by the sandbox's DEL, before the sandbox's own networks", async () => {
    const rig = await rigWithHotPlug();

    await rig.delete();

    expect(rig.plugins.ordered("DEL")).toEqual(["gamma hot0", "beta net2", "alpha net1", "primary eth0"]);
    expect(rig.plugins.allocations.size).toBe(0);
  });

  it("is undone when its plugin fails, and its failure is told", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    await rig.add();
    rig.plugins.fail("gamma", "ADD", { code: 120, msg: "no" });

    await expect(rig.attach("hot0", gamma)).rejects.toMatchObject({
      failureClass: "delegate-failed",
      code: 120,
    });

    expect(rig.plugins.ordered("DEL")).toEqual(["gamma hot0"]);
    expect(rig.record("c1", "hot0")).toBeUndefined();
    expect(rig.record()?.state).toBe("added");
  });

  it.each(["eth0", "net1", "hot0"])("refuses interface %s, which the sandbox has", async (ifName) => {
    const rig = await rigWithHotPlug();

    await expect(rig.attach(ifName, gamma)).rejects.toMatchObject({ failureClass: "invalid-configuration" });
  });

  it("is refused at once where its configuration is wrong", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    await rig.add();

    await expect(rig.attach("hot0", { ...gamma, delErrorPolicy: "sometimes" })).rejects.toMatchObject({
      failureClass: "invalid-configuration",
    });
    expect(rig.plugins.ordered("ADD")).toHaveLength(3);
  });
});

describe("hot-unplug", () => {
  it("takes down what was attached and leaves the sandbox as it is", async () => {
    const rig = await rigWithHotPlug();

    await rig.detach("hot0", gamma);
    await rig.detach("hot0", gamma);

    expect(rig.plugins.ordered("DEL")).toEqual(["gamma hot0"]);
    expect(rig.record()?.state).toBe("added");
    expect(await rig.upstream.readScratch("c1")).toMatchObject({ kind: "delegates" });
  });

  it("keeps the strict marker while the sandbox has a strict network", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    rig.setPolicy("default/alpha", policy("strict"));
    await rig.add();
    await rig.attach("hot0", gamma);

    await rig.detach("hot0", gamma);

    expect(rig.markers.marked).toEqual(new Set(["c1"]));
  });

  it("can be done again, since what failed is owed", async () => {
    const rig = await rigWithHotPlug();
    rig.plugins.fail("gamma", "DEL");
    await rig.detach("hot0", gamma);
    rig.plugins.mendAll();

    await rig.attach("hot0", gamma);

    expect(rig.plugins.allocations.has("gamma c1/hot0")).toBe(true);
    expect(rig.owed()).toEqual([]);
    expect(rig.plugins.order.slice(-2)).toEqual(["gamma DEL c1/hot0", "gamma ADD c1/hot0"]);
  });

  it("of a network that the ADD attached takes down that one alone", async () => {
    const rig = await rigWithHotPlug();

    await rig.detach("net1", list("alpha-net", ["alpha"]));

    expect(rig.plugins.ordered("DEL")).toEqual(["alpha net1"]);
    expect(rig.plugins.find("alpha", "DEL").stdin).toContain('"prevResult"');
    expect(rig.record()?.attachments.map((own) => own.interface)).toEqual(["eth0", "net2"]);
    expect(rig.record()?.networkStatus?.map((own) => own.interface)).toEqual(["eth0", "net2"]);
    await rig.delete();
    expect(rig.plugins.ordered("DEL")).toEqual(["alpha net1", "gamma hot0", "beta net2", "primary eth0"]);
  });

  it("never takes the sandbox itself down", async () => {
    const rig = await rigWithHotPlug();

    await expect(rig.detach("eth0", gamma)).rejects.toMatchObject({ failureClass: "invalid-configuration" });

    expect(rig.plugins.ordered("DEL")).toEqual([]);
  });

  it("under strict refuses, and the sandbox's DEL asks again although its own networks are done", async () => {
    const rig = await rigWithHotPlug({ ...gamma, delErrorPolicy: "strict" });
    expect(rig.markers.marked).toEqual(new Set(["c1"]));
    rig.plugins.fail("gamma", "DEL", { code: 77, msg: "no" });
    await expect(rig.detach("hot0", gamma)).rejects.toMatchObject({ code: 77 });
    await expect(rig.delete()).rejects.toMatchObject({ code: 77 });
    expect(rig.markers.marked).toEqual(new Set(["c1"]));
    rig.plugins.mendAll();
    const before = rig.plugins.runs.length;

    await rig.delete();

    expect(rig.plugins.order.slice(before)).toEqual(["gamma DEL c1/hot0"]);
    expect(rig.plugins.allocations.size).toBe(0);
    expect(rig.markers.marked.size).toBe(0);
  });
});
