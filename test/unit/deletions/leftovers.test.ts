import { describe, expect, it } from "vitest";
import { podPresence } from "../../../src/daemon/pod-presence.ts";
import { assessLeftover } from "../../../src/deletions/assess-leftover.ts";
import { LeftoverCollector } from "../../../src/deletions/leftover-collector.ts";
import { type DomainRig, useDomainRig } from "../../support/domain-rig.ts";

const never = new AbortController().signal;

/** A sandbox of pod p1, attached; the record alone knows of it. */
async function rigWithSandbox(): Promise<DomainRig> {
  const rig = await useDomainRig();
  rig.standardNetworks();
  await rig.add();
  return rig;
}

/** As it is after a reboot: another boot's records, no namespace. */
async function ofEarlierBoot(rig: DomainRig): Promise<void> {
  const record = rig.record();
  if (record === undefined) throw new Error("nothing is attached");
  await rig.sandboxes.save({ ...record, generation: { bootId: "boot-0", startNs: "5" } });
  rig.namespaces.remove("/run/netns/c1");
}

function collect(rig: DomainRig): Promise<void> {
  return rig.domain.leftovers.round(never);
}

describe("a record of an earlier boot", () => {
  it("is taken down last first with an empty CNI_NETNS once its pod is gone too", async () => {
    const rig = await rigWithSandbox();
    await ofEarlierBoot(rig);
    rig.pods.delete("default/p1");

    await collect(rig);

    expect(rig.plugins.ordered("DEL")).toEqual(["beta net2", "alpha net1", "primary eth0"]);
    expect(rig.plugins.find("alpha", "DEL").netns).toBe("");
    expect(rig.record()).toBeUndefined();
    expect(rig.plugins.allocations.size).toBe(0);
  });

  it("stays where its pod is there, where nobody can tell, and where the operator wants a report", async () => {
    const rig = await rigWithSandbox();
    await ofEarlierBoot(rig);

    await collect(rig);
    rig.pods.delete("default/p1");
    rig.knowsAllPods = false;
    await collect(rig);
    rig.knowsAllPods = true;
    rig.settings = { ...rig.settings, collectLeftovers: { previousBoot: "report", uncertain: "delete" } };
    await collect(rig);

    expect(rig.plugins.ordered("DEL")).toEqual([]);
    expect(rig.record()).toBeDefined();
  });

  it("is owed by the daemon where its DEL fails, whatever the policy", async () => {
    const rig = await rigWithSandbox();
    rig.setPolicies("lenient");
    await ofEarlierBoot(rig);
    rig.pods.delete("default/p1");
    rig.plugins.fail("alpha", "DEL");

    await collect(rig);

    expect(rig.owed()).toEqual(["default/alpha [0] pending"]);
    expect(rig.deletions.records()[0]?.reason).toContain("no live sandbox stood behind its record");
  });
});

describe("a record of this boot", () => {
  it("is only reported where namespace and pod are gone, unless the operator has it deleted", async () => {
    const rig = await rigWithSandbox();
    rig.namespaces.remove("/run/netns/c1");
    rig.pods.delete("default/p1");

    await collect(rig);
    expect(rig.plugins.ordered("DEL")).toEqual([]);

    rig.settings = { ...rig.settings, collectLeftovers: { previousBoot: "delete", uncertain: "delete" } };
    await collect(rig);
    expect(rig.plugins.ordered("DEL")).toHaveLength(3);
  });

  it("is a leftover too where its path is another namespace now", async () => {
    const rig = await rigWithSandbox();
    rig.namespaces.make("/run/netns/c1");
    rig.pods.delete("default/p1");

    expect(await rig.domain.desk.listLeaks()).toMatchObject([{ kind: "no-namespace", action: "report" }]);
  });

  it("is never one while its namespace is there, whatever became of its pod", async () => {
    const rig = await rigWithSandbox();
    rig.settings = { ...rig.settings, collectLeftovers: { previousBoot: "delete", uncertain: "delete" } };
    rig.pods.delete("default/p1");

    await collect(rig);

    expect(rig.plugins.ordered("DEL")).toEqual([]);
    expect(await rig.domain.desk.listLeaks()).toEqual([]);
  });

  it("stays where its namespace cannot be told", async () => {
    const rig = await rigWithSandbox();
    rig.settings = { ...rig.settings, collectLeftovers: { previousBoot: "delete", uncertain: "delete" } };
    rig.pods.delete("default/p1");
    rig.namespaces.break();

    await collect(rig);

    expect(rig.plugins.ordered("DEL")).toEqual([]);
  });
});

describe("the collector", () => {
  it("waits for the grace, and forgets what was no leftover in between", async () => {
    const rig = await rigWithSandbox();
    await ofEarlierBoot(rig);
    const { clock, namespaces, log } = rig;
    const { turns, deleteSandbox } = rig.domain;
    const collector = new LeftoverCollector({
      store: rig.sandboxes,
      podPresence: podPresence(
        { findPod: async ({ namespace, name }) => rig.pods.get(`${namespace}/${name}`) },
        () => true,
      ),
      settings: () => rig.settings,
      ...{ turns, deleteSandbox, clock, namespaces, log },
      graceMs: 60,
    });
    const pod = rig.pods.get("default/p1");
    rig.pods.delete("default/p1");
    await collector.round(never);
    if (pod !== undefined) rig.pods.set("default/p1", pod);
    await collector.round(never);
    await new Promise((resolve) => setTimeout(resolve, 70));
    rig.pods.delete("default/p1");

    await collector.round(never);
    expect(rig.plugins.ordered("DEL")).toEqual([]);

    await new Promise((resolve) => setTimeout(resolve, 70));
    await collector.round(never);
    expect(rig.plugins.ordered("DEL")).toHaveLength(3);
  });

  it("lists what it would do, with the reason, and does nothing by that", async () => {
    const rig = await rigWithSandbox();
    await ofEarlierBoot(rig);
    expect(await rig.domain.desk.listLeaks()).toMatchObject([
      { sandbox: "c1", action: "report", why: expect.stringContaining("its pod is there") as string },
    ]);
    rig.pods.delete("default/p1");

    expect(await rig.domain.desk.listLeaks()).toMatchObject([
      {
        kind: "previous-boot",
        action: "delete",
        pod: { name: "p1" },
        networks: ["primary-net", "default/alpha", "default/beta"],
      },
    ]);
    expect(rig.plugins.ordered("DEL")).toEqual([]);
  });

  it("leaves alone what an ADD or a DEL is responsible for", async () => {
    const rig = await rigWithSandbox();
    const record = rig.record();
    if (record === undefined) throw new Error("nothing is attached");
    const { namespaces, clock } = rig;
    const parts = {
      namespaces,
      clock,
      settings: () => rig.settings,
      podPresence: async () => "gone" as const,
    };
    const old = { ...record, generation: { bootId: "boot-0", startNs: "5" } };

    expect(await assessLeftover(parts, { ...old, state: "deleting" })).toBeUndefined();
    expect(await assessLeftover(parts, { ...old, state: "adding" })).toBeUndefined();
    expect(await assessLeftover(parts, old)).toMatchObject({ action: "delete" });
  });
});
