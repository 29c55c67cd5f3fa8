import { utimes } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type DomainRig, policy, useDomainRig } from "../../support/domain-rig.ts";

const slowRetry = { initialMs: 600_000, maxMs: 600_000, giveUpAfterMs: 36_000_000 };

async function rigWithDebts(count: number): Promise<DomainRig> {
  const rig = await useDomainRig();
  rig.standardNetworks();
  rig.pod("p1", "alpha");
  rig.setPolicy("default/alpha", policy("deferred", { retry: slowRetry }));
  rig.plugins.fail("alpha", "DEL");
  for (const containerId of Array.from({ length: count }, (_, index) => `d${index}`)) {
    rig.namespaces.make(`/run/netns/${containerId}`);
    await rig.add({ containerId });
    await rig.delete({ containerId });
  }
  return rig;
}

function tries(rig: DomainRig): number {
  return rig.instruments.retries.length;
}

describe("debts of a network", () => {
  it("are tried at once when a plugin's file has changed, and not where nothing has", async () => {
    const rig = await rigWithDebts(2);
    rig.domain.scheduler.look();
    rig.domain.scheduler.look();
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(tries(rig)).toBe(0);

    rig.plugins.mendAll();
    await utimes(join(rig.plugins.directory, "alpha"), 1, 1);
    rig.domain.scheduler.look();

    await rig.untilNothingOwed();
  });

  it("are tried at once when the operator has changed the network's settings", async () => {
    const rig = await rigWithDebts(1);
    rig.domain.scheduler.look();
    rig.plugins.mendAll();
    rig.setPolicy("default/alpha", policy("deferred", { retry: { ...slowRetry, maxMs: 700_000 } }));

    rig.domain.scheduler.look();

    await rig.untilNothingOwed();
  });

  it("are tried no more at a time than the operator allows", async () => {
    const rig = await rigWithDebts(4);
    rig.plugins.mendAll();
    const held = rig.plugins.hold("alpha", "DEL");
    const { networks } = rig.settings;
    rig.settings = {
      ...rig.settings,
      networks: { ...networks, "default/alpha": { ...networks["default/alpha"], concurrency: 1 } },
    };
    const before = rig.plugins.ordered("DEL").length;

    await rig.restart();
    await held.begun;
    await new Promise((resolve) => setTimeout(resolve, 30));

    expect(rig.plugins.ordered("DEL").length - before).toBe(1);
    held.release();
    await rig.untilNothingOwed();
  });
});
