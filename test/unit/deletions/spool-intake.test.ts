import { describe, expect, it } from "vitest";
import { type DomainRig, policy, useDomainRig } from "../../support/domain-rig.ts";
import { waitFor } from "../../support/wait-for.ts";

async function startedRig() {
  const rig = await useDomainRig();
  rig.standardNetworks();
  await rig.start();
  return rig;
}

describe("SpoolIntake", () => {
  it("takes an entry in while running, once, and removes it when its outcome is durable (A29)", async () => {
    const rig = await startedRig();
    await rig.add();

    rig.spoolDelete();

    await waitFor("the spool is empty", () => rig.spool.names().length === 0);
    expect(rig.plugins.ordered("DEL")).toEqual(["beta net2", "alpha net1", "primary eth0"]);
    expect(rig.instruments.spooled).toBe(1);
    expect(rig.sandboxes.entries()).toMatchObject([{ state: "done" }]);
  });

  it("takes in at start what came while no daemon was there (A23)", async () => {
    const rig = await startedRig();
    await rig.add();
    rig.kill();
    rig.spoolDelete();

    await rig.restart();

    await waitFor("the spool is empty", () => rig.spool.names().length === 0);
    expect(rig.plugins.allocations.size).toBe(0);
  });

  it("hands plugins the namespace of ADD where the entry has none", async () => {
    const rig = await startedRig();
    await rig.add();

    rig.spoolDelete({ netns: "" });

    await waitFor("the spool is empty", () => rig.spool.names().length === 0);
    expect(rig.plugins.find("alpha", "DEL").netns).toBe("/run/netns/c1");
  });

  it("does not apply an entry to a newer generation of the sandbox", async () => {
    const rig = await startedRig();
    const startNs = rig.clock.nowNs().toString();
    await rig.add();

    rig.spoolDelete({ startNs });
    rig.spoolDelete({ bootId: "boot-0", startNs: "99999999999999999999", name: "of another boot" });

    await waitFor("the spool is empty", () => rig.spool.names().length === 0);
    expect(rig.plugins.ordered("DEL")).toEqual([]);
    expect(rig.record()?.state).toBe("added");
  });

  it.each(["strict", "deferred"] as const)(
    "owes what fails under %s: its runtime has its success",
    async (mode) => {
      const rig = await startedRig();
      rig.setPolicies(mode);
      await rig.add();
      rig.plugins.fail("alpha", "DEL");

      rig.spoolDelete();

      await waitFor("the spool is empty", () => rig.spool.names().length === 0);
      expect(rig.owed()).toEqual(["default/alpha [0] pending"]);
      expect(rig.record()).toBeUndefined();
    },
  );

  it("keeps an entry whose outcome cannot be written, and takes it in later", async () => {
    const rig = await startedRig();
    await rig.add();
    rig.sandboxes.failWrites();

    rig.spoolDelete();
    await waitFor("it was tried", () => rig.plugins.ordered("DEL").length === 3);
    await waitFor("it was told", () => rig.log.lines.some(({ level }) => level === "error"));
    expect(rig.spool.names()).toHaveLength(1);
    rig.sandboxes.allowWrites();
    rig.spoolDelete({ name: "another", containerId: "c2" });

    await waitFor("the spool is empty", () => rig.spool.names().length === 0);
    expect(rig.record()).toBeUndefined();
  });

  it("drops an entry that names no sandbox, and says so", async () => {
    const rig = await startedRig();

    rig.spool.put({ name: "odd", env: {}, config: "{", generation: { bootId: "boot-1", startNs: "1" } });

    await waitFor("the spool is empty", () => rig.spool.names().length === 0);
    expect(rig.log.lines.filter(({ level }) => level === "error")).toHaveLength(1);
  });

  it("goes on after an entry that cannot even be looked at", async () => {
    const rig = await startedRig();
    await rig.add();

    rig.spool.put({
      name: "hostile",
      env: { CNI_CONTAINERID: "x" },
      config: "{",
      generation: { bootId: "b", startNs: "no number" },
    });
    rig.spoolDelete();

    await waitFor("the other one is done", () => rig.plugins.ordered("DEL").length >= 3);
  });

  it("is settled before an ADD of the same container, and then not run again", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    await rig.add();
    rig.spoolDelete();

    await rig.add();

    expect(rig.plugins.order.slice(3).map((run) => run.split(" c1")[0])).toEqual([
      "beta DEL",
      "alpha DEL",
      "primary DEL",
      "primary ADD",
      "alpha ADD",
      "beta ADD",
    ]);
    expect(rig.spool.names()).toEqual([]);
  });

  it("leaves an entry that is newer than an ADD until that has ended, and applies it then", async () => {
    const rig = await startedRig();
    const startNs = rig.clock.nowNs().toString();
    rig.setPolicy("primary-net", policy("strict"));
    const held = rig.plugins.hold("alpha", "ADD");
    const added = rig.add({ startNs });
    await held.begun;
    rig.spoolDelete();
    held.release();

    await added;

    await waitFor("the spool is empty", () => rig.spool.names().length === 0);
    expect(rig.plugins.allocations.size).toBe(0);
  });

  it("does not use up an entry that is newer than the ADD which finds it", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    const startNs = rig.clock.nowNs().toString();
    rig.spoolDelete();

    await rig.add({ startNs });

    expect(rig.spool.names()).toHaveLength(1);
    await rig.start();
    await waitFor("the spool is empty", () => rig.spool.names().length === 0);
    expect(rig.plugins.allocations.size).toBe(0);
  });
});

describe("a spooled deletion that daemons die of", () => {
  /** A daemon that is killed as soon as it works on the sandbox's entry. */
  async function dieOverEntry(rig: DomainRig): Promise<void> {
    const held = rig.plugins.hold("beta", "DEL");
    void rig.restart();
    await held.begun;
    rig.kill();
    held.release();
  }

  it("is a dead letter at the fourth start, which runs nothing of it, and can be retried", async () => {
    const rig = await startedRig();
    await rig.add();
    rig.kill();
    rig.spoolDelete();
    for (let crash = 0; crash < 3; crash += 1) await dieOverEntry(rig);
    rig.plugins.mendAll();
    const runs = rig.plugins.ordered("DEL").length;

    await rig.restart();

    await waitFor("the spool is empty", () => rig.spool.names().length === 0);
    const [letter] = rig.deletions.records();
    expect(letter).toMatchObject({ state: "dead", sandbox: "c1", death: "crashes", attemptCount: 3 });
    expect(letter?.reason).toContain("3 times");
    expect(rig.plugins.ordered("DEL")).toHaveLength(runs);
    expect(rig.instruments.dead).toEqual(["(spooled) crashes"]);
    expect(await rig.domain.desk.listDeletions()).toHaveLength(1);
    expect(await rig.domain.desk.retryDeletion(letter?.id ?? "")).toMatchObject({ outcome: "settled" });
    expect(rig.owed()).toEqual([]);
    expect(rig.plugins.allocations.size).toBe(0);
  });

  it("takes no innocent one with it that was worked on beside it", async () => {
    const rig = await startedRig();
    await rig.add();
    await rig.add({ containerId: "c2" });
    rig.kill();
    rig.spoolDelete();
    rig.spoolDelete({ containerId: "c2" });
    for (let crash = 0; crash < 3; crash += 1) await dieOverEntry(rig);
    rig.plugins.mendAll();

    await rig.restart();

    await waitFor("the spool is empty", () => rig.spool.names().length === 0);
    expect(rig.deletions.records().map(({ sandbox }) => sandbox)).toHaveLength(1);
  });

  it("is not counted where it only failed", async () => {
    const rig = await startedRig();
    await rig.add();
    rig.sandboxes.failWrites();
    rig.spoolDelete();
    await waitFor("it failed", () => rig.log.lines.some(({ level }) => level === "error"));
    const [entry] = await rig.spool.list();
    if (entry === undefined) throw new Error("the entry is gone");

    expect(await rig.spool.crashesOf(entry)).toBe(0);
  });

  it("is told where there are more of them than the operator's limit", async () => {
    const rig = await useDomainRig();
    rig.settings = { ...rig.settings, maxSpoolEntries: 1 };
    rig.spoolDelete();
    rig.spoolDelete({ containerId: "c2" });

    await rig.start();

    await waitFor("it is told", () => rig.log.lines.some(({ fields }) => "limit" in fields));
  });
});
