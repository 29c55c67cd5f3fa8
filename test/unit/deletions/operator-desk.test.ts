import { describe, expect, it } from "vitest";
import { type DomainRig, policy, quickRetry, useDomainRig } from "../../support/domain-rig.ts";
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

describe("what an operator can do", () => {
  it("sees what is owed: by whom, why, how often, when next", async () => {
    const rig = await rigWithDebt(slowRetry);

    const [view] = await rig.domain.desk.listDeletions();

    expect(view).toMatchObject({
      id: onlyId(rig),
      state: "pending",
      sandbox: "c1",
      pod: { namespace: "default", name: "p1", uid: "uid-p1" },
      network: "default/alpha",
      interface: "net1",
      plugins: ["alpha"],
      policy: { mode: "deferred", source: "daemon-networks" },
      attempts: 1,
      lastError: { plugin: "alpha", code: 42, msg: "out of order" },
      age: "0s",
      reason: "its DEL failed",
    });
    expect(Date.parse(view?.nextAttempt ?? "")).toBeGreaterThan(Date.now() + 30_000);
  });

  it("can have one tried now, with what became of it", async () => {
    const rig = await rigWithDebt(slowRetry);
    const id = onlyId(rig);

    expect(await rig.domain.desk.retryDeletion(id)).toMatchObject({
      outcome: "failed",
      deletion: { attempts: 2 },
    });
    rig.plugins.mendAll();
    expect(await rig.domain.desk.retryDeletion(id)).toMatchObject({ outcome: "settled" });
    expect(await rig.domain.desk.retryDeletion(id)).toBeUndefined();
  });

  it("can have a dead letter tried, which stays dead where it fails and goes where it works", async () => {
    const rig = await rigWithDebt({ initialMs: 1, maxMs: 1, giveUpAfterMs: 5 });
    await waitFor("it is given up", () => rig.owed().join() === "default/alpha [0] dead");
    const id = onlyId(rig);

    expect(await rig.domain.desk.retryDeletion(id)).toMatchObject({
      outcome: "failed",
      deletion: { state: "dead" },
    });
    expect(rig.instruments.dead).toHaveLength(1);
    rig.plugins.mendAll();
    expect(await rig.domain.desk.retryDeletion(id)).toMatchObject({ outcome: "settled" });
    expect(rig.owed()).toEqual([]);
  });

  it("can abandon one for good, also while it is being tried, and the log has the reason", async () => {
    const rig = await rigWithDebt();
    const held = rig.plugins.hold("alpha", "DEL");
    await held.begun;

    const abandoned = rig.domain.desk.abandonDeletion(onlyId(rig), "the switch is scrapped");
    held.release();

    expect(await abandoned).toMatchObject({ nextAttempt: null, reason: "abandoned: the switch is scrapped" });
    expect(rig.owed()).toEqual([]);
    expect(rig.log.lines.at(-1)).toMatchObject({
      level: "warn",
      fields: { reason: "the switch is scrapped" },
    });
    const tries = deletions(rig);
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(deletions(rig)).toBe(tries);
    expect(await rig.domain.desk.abandonDeletion("unknown", "x")).toBeUndefined();
  });

  it("sees what is attached, by pod, network and sandbox", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    await rig.add();

    const all = await rig.domain.desk.listAttachments({});

    expect(all.map(({ network }) => network)).toEqual(["primary-net", "default/alpha", "default/beta"]);
    expect(all[1]).toMatchObject({
      sandbox: "c1",
      interface: "net1",
      plugins: ["alpha"],
      ips: [expect.stringMatching(/^10\.0\.0\.\d+\/24$/) as string],
      mac: "02:00:00:00:00:01",
      state: "added",
    });
    expect(all[0]?.networkStatus).toHaveLength(3);
    expect(await rig.domain.desk.listAttachments({ network: "default/beta" })).toHaveLength(1);
    expect(await rig.domain.desk.listAttachments({ sandbox: "c2" })).toEqual([]);
    expect(await rig.domain.desk.listAttachments({ pod: { namespace: "default", name: "p2" } })).toEqual([]);
  });

  it("has everything of a pod explained: steps, debts and what to do next", async () => {
    const rig = await rigWithDebt(slowRetry);

    const explained = await rig.domain.desk.explain({ namespace: "default", name: "p1" });

    expect(explained).toMatchObject({
      pod: { uid: "uid-p1" },
      attachments: [],
      deletions: [{ network: "default/alpha" }],
    });
    expect(explained.next).toEqual([
      expect.stringContaining(`multusctl deletions retry ${onlyId(rig)}`) as string,
    ]);
    expect(explained.steps.map(({ step }) => step)).toContain("plugin alpha");
    expect(explained.steps.at(-1)).toMatchObject({
      step: "policy deferred (daemon-networks)",
      outcome: "deferred",
    });
  });
});
