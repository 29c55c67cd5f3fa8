import { describe, expect, it } from "vitest";
import { type DomainRig, list, policy, quickRetry, useDomainRig } from "../../support/domain-rig.ts";
import { waitFor } from "../../support/wait-for.ts";

const slowRetry = { initialMs: 60_000, maxMs: 60_000, giveUpAfterMs: 3_600_000 };

async function rigWithDebt(
  retry: { initialMs: number; maxMs: number; giveUpAfterMs: number } = quickRetry,
): Promise<DomainRig> {
  const rig = await useDomainRig();
  rig.standardNetworks();
  rig.setPolicy("default/alpha", policy("deferred", { retry }));
  await rig.add();
  rig.plugins.fail("alpha", "DEL");
  await rig.delete();
  return rig;
}

function deletions(rig: DomainRig): number {
  return rig.plugins.ordered("DEL").filter((run) => run === "alpha net1").length;
}

function onlyId(rig: DomainRig): string {
  return rig.deletions.records()[0]?.id ?? "";
}

describe("DeletionScheduler", () => {
  it("tries again until it is done, and never after that (A28)", async () => {
    const rig = await rigWithDebt();
    await waitFor("some tries", () => deletions(rig) >= 4);
    rig.plugins.mendAll();
    await rig.untilNothingOwed();
    const tries = deletions(rig);

    await new Promise((resolve) => setTimeout(resolve, 50));

    expect(deletions(rig)).toBe(tries);
    expect(rig.instruments.retries.at(-1)).toBe("default/alpha settled");
    expect(rig.instruments.owed).toEqual([]);
    expect(rig.cache.files()).toEqual([]);
  });

  it("remembers the first and the latest tries, and counts them all", async () => {
    const rig = await rigWithDebt({ initialMs: 1, maxMs: 1, giveUpAfterMs: 3_600_000 });

    await waitFor("many tries", () => (rig.deletions.records()[0]?.attemptCount ?? 0) > 25, 20_000);

    expect(rig.deletions.records()[0]?.attempts).toHaveLength(21);
  });

  it("takes up what is owed after a kill -9, and runs only the plugins that are left", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    rig.pod("p1", "alpha");
    rig.define("alpha", list("alpha-net", ["alpha", "tuning", "beta"]));
    rig.setPolicy("default/alpha", policy("deferred", { retry: slowRetry }));
    await rig.add();
    for (const type of ["alpha", "beta"]) rig.plugins.fail(type, "DEL");
    await rig.delete();
    rig.plugins.mend("beta", "DEL");
    const before = rig.plugins.runs.length;

    await rig.restart();

    await waitFor("one is left", () => rig.owed().join() === "default/alpha [0] pending");
    expect(rig.plugins.order.slice(before)).toEqual(["beta DEL c1/net1", "alpha DEL c1/net1"]);
  });

  it("gives up at giveUpAfter, keeps the dead letter over restarts and tries it no more", async () => {
    const rig = await rigWithDebt({ initialMs: 1, maxMs: 1, giveUpAfterMs: 30 });
    await waitFor("it is given up", () => rig.owed().join() === "default/alpha [0] dead");
    const tries = deletions(rig);

    await rig.restart();
    await new Promise((resolve) => setTimeout(resolve, 40));

    expect(deletions(rig)).toBe(tries);
    expect(rig.instruments.dead).toEqual(["default/alpha age"]);
    expect(rig.deletions.records()).toMatchObject([{ state: "dead", reason: "given up after 30ms" }]);
    expect(rig.instruments.owed).toEqual([{ network: "default/alpha", state: "dead", count: 1 }]);
  });

  it("adds up its age over restarts and clock steps, and not over a reboot's wall clock", async () => {
    const rig = await rigWithDebt({ initialMs: 5, maxMs: 5, giveUpAfterMs: 3_600_000 });
    rig.clock.advance(3_000_000);
    await waitFor("its age is written", () => (rig.deletions.records()[0]?.age.elapsedMs ?? 0) >= 3_000_000);
    await rig.restart();

    rig.clock.advance(600_000);

    await waitFor("it is given up", () => rig.owed().join() === "default/alpha [0] dead");
  });

  it("asks a network that fails for all its debts with one probe at a time, and all are due when it works", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    rig.setPolicy("default/alpha", policy("deferred", { retry: quickRetry }));
    rig.plugins.fail("alpha", "DEL");
    const containerIds = Array.from({ length: 8 }, (_, index) => `d${index}`);
    for (const containerId of containerIds) {
      rig.namespaces.make(`/run/netns/${containerId}`);
      await rig.add({ containerId });
      await rig.delete({ containerId });
    }
    await waitFor("the network counts as down", () => rig.instruments.retries.length >= 6);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const before = deletions(rig);
    await new Promise((resolve) => setTimeout(resolve, 400));

    expect(deletions(rig) - before).toBeLessThanOrEqual(1);
    rig.plugins.mendAll();
    await rig.untilNothingOwed();
    expect(rig.plugins.allocations.size).toBe(0);
  });

  it("does not let a network that hangs delay another network's debts", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    await rig.add();
    for (const type of ["alpha", "beta"]) rig.plugins.fail(type, "DEL");
    await rig.delete();
    rig.plugins.hang("alpha", "DEL");
    rig.plugins.mend("beta", "DEL");

    await waitFor("the other one is done", () => rig.owed().join() === "default/alpha [0] pending");
  });

  it("ends running tries when it stops, which stay owed, and starts none afterwards", async () => {
    const rig = await rigWithDebt();
    const held = rig.plugins.hold("alpha", "DEL");
    await held.begun;
    const errors = () => rig.log.lines.filter(({ level }) => level === "error").length;

    await rig.domain.scheduler.stop();
    const tries = deletions(rig);
    held.release();
    await new Promise((resolve) => setTimeout(resolve, 40));

    expect(deletions(rig)).toBe(tries);
    expect(rig.owed()).toEqual(["default/alpha [0] pending"]);
    expect(rig.deletions.records()[0]?.attempts.at(-1)?.outcome).toBe("interrupted");
    expect(errors()).toBe(0);
  });

  it("keeps what it cannot write down, without running a plugin again that is done", async () => {
    const rig = await rigWithDebt();
    const held = rig.plugins.hold("alpha", "DEL");
    await held.begun;
    rig.plugins.mendAll();
    rig.deletions.failWrites();
    held.release();
    await waitFor("the disk refused", () => rig.log.lines.some(({ level }) => level === "error"));
    const tries = deletions(rig);

    rig.deletions.allowWrites();
    await rig.untilNothingOwed();

    expect(deletions(rig)).toBe(tries);
  });

  it("gives plugins an empty CNI_NETNS where the namespace is another one by then", async () => {
    const rig = await rigWithDebt();
    rig.namespaces.make("/run/netns/c1");
    rig.plugins.mendAll();

    await rig.untilNothingOwed();

    expect(rig.plugins.find("alpha", "DEL").netns).toBe("");
  });

  it("waits where it cannot be told whose namespace it is", async () => {
    const rig = await rigWithDebt();
    rig.namespaces.break();
    rig.plugins.mendAll();
    await waitFor("it broke off", () => rig.log.lines.some(({ level }) => level === "error"));
    const tries = deletions(rig);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(deletions(rig)).toBe(tries);

    rig.namespaces.work();

    await rig.untilNothingOwed();
  });

  it("starts no try while its container is being added, an operator's neither", async () => {
    const rig = await rigWithDebt(slowRetry);
    const held = rig.plugins.hold("primary", "ADD");
    const added = rig.add();
    await held.begun;
    const tries = deletions(rig);

    const answer = await rig.domain.desk.retryDeletion(onlyId(rig));

    expect(answer?.outcome).toBe("busy");
    expect(deletions(rig)).toBe(tries);
    held.release();
    await added;
  });

  it("stays away from a GC of its network", async () => {
    const rig = await useDomainRig({
      overlay: { delegates: [{ ...list("primary-net", ["primary"]), cniVersion: "1.1.0" }] },
    });
    rig.standardNetworks();
    rig.setPolicy("primary-net", policy("deferred", { retry: quickRetry }));
    await rig.add();
    rig.plugins.fail("primary", "DEL");
    await rig.delete();
    const held = rig.plugins.hold("primary", "GC");
    const collected = rig.collectGarbage([]);
    await held.begun;
    const tries = rig.plugins.ordered("DEL").length;

    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(rig.plugins.ordered("DEL")).toHaveLength(tries);
    held.release();
    await collected;

    rig.plugins.mendAll();
    await rig.untilNothingOwed();
  });
});
