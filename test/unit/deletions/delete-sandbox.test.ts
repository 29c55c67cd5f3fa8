import { describe, expect, it } from "vitest";
import { list, useDomainRig } from "../../support/domain-rig.ts";

describe("DEL of an attached sandbox", () => {
  it("runs every plugin last first, with the stdin of ADD and its result", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    rig.define(
      "alpha",
      '{"cniVersion":"1.0.0","name":"alpha-net","plugins":[{"type":"alpha","big":9007199254740993}]}',
    );
    await rig.add();

    await rig.delete();

    expect(rig.plugins.order).toEqual([
      "primary ADD c1/eth0",
      "alpha ADD c1/net1",
      "beta ADD c1/net2",
      "beta DEL c1/net2",
      "alpha DEL c1/net1",
      "primary DEL c1/eth0",
    ]);
    const added = rig.plugins.find("alpha", "ADD").stdin;
    const deleted = rig.plugins.find("alpha", "DEL").stdin;
    expect(added).toBe('{"type":"alpha","big":9007199254740993,"cniVersion":"1.0.0","name":"alpha-net"}');
    const result = /,"prevResult":(\{.*\})\}$/.exec(deleted)?.[1] ?? "";
    expect(deleted).toBe(`${added.slice(0, -1)},"prevResult":${result}}`);
    expect(JSON.parse(result)).toMatchObject({ interfaces: [{ name: "net1", sandbox: "/run/netns/c1" }] });
    expect(rig.plugins.allocations.size).toBe(0);
  });

  it("goes by the record of ADD, whatever became of definition, pod and configuration (A09)", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    await rig.add();
    const added = rig.plugins.find("alpha", "ADD");
    rig.define("alpha", list("other-net", ["gamma"]));
    rig.pods.clear();
    rig.settings = { ...rig.settings, overlay: '{"delegates":[]}' };

    await rig.delete({ config: "{}" });

    expect(rig.plugins.ordered("DEL")).toEqual(["beta net2", "alpha net1", "primary eth0"]);
    const deleted = rig.plugins.find("alpha", "DEL");
    expect(deleted.args).toBe(added.args);
    expect(deleted.stdin.startsWith(added.stdin.slice(0, -1))).toBe(true);
  });

  it("calls all plugins of a chain and of all networks although one fails (A07, A08)", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    rig.define("alpha", list("alpha-net", ["alpha", "tuning"]));
    await rig.add();
    for (const type of ["beta", "tuning"]) rig.plugins.fail(type, "DEL");

    await rig.delete();

    expect(rig.plugins.ordered("DEL").slice(0, 4)).toEqual([
      "beta net2",
      "tuning net1",
      "alpha net1",
      "primary eth0",
    ]);
    expect(rig.owed()).toEqual(["default/alpha [1] pending", "default/beta [0] pending"]);
  });

  it("is a silent success afterwards that runs no plugin, with an empty CNI_NETNS too (A11)", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    await rig.add();
    await rig.delete();
    const runs = rig.plugins.runs.length;
    const lines = rig.log.lines.length;

    await rig.delete();
    await rig.delete({ netns: "" });

    expect(rig.plugins.runs).toHaveLength(runs);
    expect(rig.log.lines.slice(lines).filter(({ level }) => level !== "debug")).toEqual([]);
    expect(rig.sandboxes.entries()).toMatchObject([{ state: "done" }]);
  });

  it("hands plugins the netns as it came, and deletes without one (A16)", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    await rig.add();

    await rig.delete({ netns: "" });

    expect(rig.plugins.runs.filter(({ command }) => command === "DEL").map(({ netns }) => netns)).toEqual([
      "",
      "",
      "",
    ]);
    expect(rig.plugins.allocations.size).toBe(0);
  });

  it("gives plugins an empty CNI_NETNS where the path is another namespace by now, or none", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    await rig.add();
    await rig.add({ containerId: "c2" });
    rig.namespaces.make("/run/netns/c1");
    rig.namespaces.remove("/run/netns/c2");

    await rig.delete();
    await rig.delete({ containerId: "c2" });

    const seen = rig.plugins.runs.filter(({ command }) => command === "DEL").map(({ netns }) => netns);
    expect(seen).toEqual(["", "", "", "", "", ""]);
  });

  it("removes result caches, the scratch file and the strict marker once all is done", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    rig.setPolicies("strict");
    await rig.add();
    expect(rig.cache.files()).toHaveLength(3);
    expect(rig.markers.marked).toEqual(new Set(["c1"]));

    await rig.delete();

    expect(rig.cache.files()).toEqual([]);
    expect(await rig.upstream.readScratch("c1")).toEqual({ kind: "missing" });
    expect(rig.markers.marked.size).toBe(0);
  });

  it("puts a damaged result cache aside and deletes by the record (A06)", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    await rig.add();
    rig.cache.damage("alpha-net", "c1", "net1");

    await rig.delete();

    expect(rig.upstream.quarantinedCaches).toEqual(["alpha-net-c1-net1"]);
    expect(rig.plugins.find("alpha", "DEL").stdin).toContain('"prevResult"');
  });

  it("does nothing for a late DEL that is older than the sandbox which is there now", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    const late = rig.clock.nowNs().toString();
    await rig.add();

    await rig.delete({ startNs: late });

    expect(rig.plugins.ordered("DEL")).toEqual([]);
    expect(rig.record()?.state).toBe("added");
  });

  it("takes a DEL of an earlier boot for older and one of this boot for newer than a record of before", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    await rig.add({ bootId: "boot-0", startNs: "99999999999999999999" });
    await rig.delete({ bootId: "boot-1", startNs: "1" });
    expect(rig.plugins.allocations.size).toBe(0);

    await rig.add();
    await rig.delete({ bootId: "boot-0", startNs: "99999999999999999999" });

    expect(rig.plugins.allocations.size).toBe(3);
  });

  it("settles by policy when no slot comes free in time: nothing is lost, nothing is refused", async () => {
    const rig = await useDomainRig({ slots: { concurrent: 1, reservedForDel: 0 } });
    rig.standardNetworks();
    await rig.add();
    const held = rig.plugins.hold("primary", "ADD");
    const other = rig.add({ containerId: "c2" });
    await held.begun;

    await rig.delete({ limitMs: 1300 });

    expect(rig.plugins.ordered("DEL")).toEqual([]);
    expect(rig.owed()).toEqual([
      "default/alpha [0] pending",
      "default/beta [0] pending",
      "primary-net [0] pending",
    ]);
    held.release();
    await other;
    await rig.untilNothingOwed();
    expect([...rig.plugins.allocations.keys()].every((key) => key.includes("c2"))).toBe(true);
  });

  it("leaves a plugin no more than its share of the time that is left", async () => {
    const rig = await useDomainRig({ timeouts: { delMs: 11_000 } });
    rig.standardNetworks();
    await rig.add();

    await rig.delete();

    const limits = rig.plugins.runs
      .filter(({ command }) => command === "DEL")
      .map(({ timeoutMs }) => timeoutMs);
    expect(limits[0]).toBeLessThanOrEqual(3000);
    expect(limits[0]).toBeGreaterThan(2000);
    expect(limits[2]).toBeLessThanOrEqual(9000);
    expect(limits[2]).toBeGreaterThan(8000);
  });

  it("owes what it had no time to try, under lenient too", async () => {
    const rig = await useDomainRig({ timeouts: { delMs: 2600 } });
    rig.standardNetworks();
    rig.setPolicies("lenient");
    await rig.add();
    rig.plugins.hang("beta", "DEL");
    rig.plugins.hang("alpha", "DEL");

    await rig.delete({ limitMs: 3200 });

    expect(rig.owed().length + rig.plugins.ordered("DEL").length).toBeGreaterThanOrEqual(3);
    for (const left of rig.plugins.allocations.keys()) expect(left).toMatch(/alpha|beta|primary/);
  });
});
