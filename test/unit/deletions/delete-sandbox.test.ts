import { describe, expect, it } from "vitest";
import { list, policy, quickRetry, useDomainRig } from "../../support/domain-rig.ts";
import { waitFor } from "../../support/wait-for.ts";

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
