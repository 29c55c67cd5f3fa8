import { describe, expect, it } from "vitest";
import { type DomainRig, policy, useDomainRig } from "../../support/domain-rig.ts";
import { waitFor } from "../../support/wait-for.ts";

const brief = { initialMs: 1, maxMs: 1, giveUpAfterMs: 5 };

/** Sandboxes whose deletion of network alpha was given up. */
async function rigWithDeadLetters(containerIds: readonly string[], maxDeadLetters = 100): Promise<DomainRig> {
  const rig = await useDomainRig();
  rig.settings = { ...rig.settings, maxDeadLetters };
  rig.standardNetworks();
  rig.pod("p1", "alpha");
  rig.setPolicy("default/alpha", policy("deferred", { retry: brief }));
  rig.plugins.fail("alpha", "DEL");
  for (const containerId of containerIds) {
    rig.namespaces.make(`/run/netns/${containerId}`);
    await rig.add({ containerId });
    await rig.delete({ containerId });
    await waitFor("it is given up", () => rig.instruments.dead.length > containerIds.indexOf(containerId));
  }
  return rig;
}

function states(rig: DomainRig): readonly string[] {
  return rig.deletions.records().map(({ sandbox, state }) => `${sandbox} ${state}`);
}

describe("dead letters", () => {
  it("come back to life when a live DEL of their network succeeds, and are settled", async () => {
    const rig = await rigWithDeadLetters(["d1", "d2"]);
    await rig.add({ containerId: "c2" });
    rig.plugins.mendAll();

    await rig.delete({ containerId: "c2" });

    await rig.untilNothingOwed();
    expect(rig.plugins.allocations.size).toBe(0);
  });

  it("come back to life when an operator's retry of another one succeeds", async () => {
    const rig = await rigWithDeadLetters(["d1", "d2"]);
    rig.plugins.mendAll();

    await rig.domain.desk.retryDeletion(rig.deletions.records()[0]?.id ?? "");

    await rig.untilNothingOwed();
  });

  it("stay dead where another network works, and where the daemon starts anew", async () => {
    const rig = await rigWithDeadLetters(["d1"]);
    rig.pod("p1", "beta");
    await rig.add({ containerId: "c2" });
    await rig.delete({ containerId: "c2" });

    await rig.restart();

    expect(states(rig)).toEqual(["d1 dead"]);
    expect(rig.deletions.records()[0]).toMatchObject({ death: "age", reason: "given up after 5ms" });
  });

  it("live as long as any other after they were revived, though they are old", async () => {
    const rig = await rigWithDeadLetters(["d1"]);
    rig.setPolicy("default/alpha", policy("deferred", { retry: { ...brief, giveUpAfterMs: 3_600_000 } }));
    rig.clock.advance(7_200_000);

    rig.domain.ledger.networkWorked("default/alpha");

    await waitFor("it is tried again", () => (rig.deletions.records()[0]?.attemptCount ?? 0) > 8);
    expect(states(rig)).toEqual(["d1 pending"]);
    expect(rig.deletions.records()[0]?.reason).toContain("revived");
    rig.clock.advance(3_600_000);
    await waitFor("it is given up again", () => states(rig).join() === "d1 dead");
  });

  it("go to the archive beyond the limit, the oldest first, and none is lost", async () => {
    const rig = await rigWithDeadLetters(["d1", "d2", "d3", "d4"], 2);

    await waitFor("two are archived", () => rig.deletions.archived.length === 2);

    expect(rig.deletions.archived.map(({ sandbox }) => sandbox)).toEqual(["d1", "d2"]);
    expect(rig.deletions.archived[0]).toMatchObject({ reason: "given up after 5ms", death: "age" });
    expect(states(rig)).toEqual(["d3 dead", "d4 dead"]);
    expect(rig.instruments.owed).toEqual([{ network: "default/alpha", state: "dead", count: 2 }]);
  });

  it("stay records where the archive cannot be written, which is told", async () => {
    const rig = await rigWithDeadLetters(["d1", "d2"], 2);
    rig.settings = { ...rig.settings, maxDeadLetters: 1 };
    rig.deletions.failWrites();

    await rig.domain.ledger.load();
    await rig.domain.ledger.whenIdle();

    expect(states(rig)).toEqual(["d1 dead", "d2 dead"]);
    expect(rig.log.lines.map(({ message }) => message)).toContain(
      "dead letters beyond the limit could not be archived",
    );
  });

  it("never block an ADD of the same container, and nothing of them runs before it", async () => {
    const rig = await rigWithDeadLetters(["d1"]);
    const runs = rig.plugins.ordered("DEL").length;

    await rig.add({ containerId: "d1" });

    expect(rig.plugins.ordered("DEL")).toHaveLength(runs);
  });
});
