import { describe, expect, it } from "vitest";
import type { OwedResourceRule } from "../../../src/attachments/settings.ts";
import { type DomainRig, list, policy, useDomainRig } from "../../support/domain-rig.ts";
import { waitFor } from "../../support/wait-for.ts";

const slow = { retry: { initialMs: 3_600_000, maxMs: 3_600_000, giveUpAfterMs: 1e12 } };
const ofP2 = { containerId: "c2", pod: "default/p2" };

/** c1 has gone and its DEL of network `alpha` has failed; p2 (c2) wants the same as c1 had. */
async function rigWithDebt(
  wish: { readonly deviceID: string } | { readonly ips: readonly string[] },
  onOwedResource?: OwedResourceRule,
): Promise<DomainRig> {
  const rig = await useDomainRig();
  rig.define("alpha", list("alpha-net", ["alpha"]));
  for (const pod of ["p1", "p2"]) rig.pod(pod, JSON.stringify([{ name: "alpha", ...wish }]));
  const rule = onOwedResource === undefined ? {} : { onOwedResource };
  const networks = { "default/alpha": { delErrorPolicy: policy("deferred", slow), ...rule } };
  rig.settings = { ...rig.settings, networks };
  await rig.add();
  rig.plugins.fail("alpha", "DEL");
  await rig.delete();
  return rig;
}

const device = { deviceID: "0000:3b:02.1" };
const address = { ips: ["10.1.0.7/24"] };

function tries(rig: DomainRig): number {
  return rig.plugins.order.filter((run) => run === "alpha DEL c1/net1").length;
}

describe("an ADD that wants what an earlier sandbox owes", () => {
  it.each([device, address])(
    "tries that debt once first, and goes on where it is settled: %j",
    async (wish) => {
      const rig = await rigWithDebt(wish, "refuse");
      rig.plugins.mendAll();

      await rig.add(ofP2);

      expect(rig.plugins.order.slice(-3)).toEqual([
        "alpha DEL c1/net1",
        "primary ADD c2/eth0",
        "alpha ADD c2/net1",
      ]);
      expect(rig.owed()).toEqual([]);
    },
  );

  it("is refused, before anything is attached, with the deletion and its network named", async () => {
    const rig = await rigWithDebt(device, "refuse");
    const id = rig.deletions.records()[0]?.id ?? "";

    await expect(rig.add(ofP2)).rejects.toMatchObject({
      failureClass: "device-busy",
      message: expect.stringContaining(`deletion ${id} of network "default/alpha"`) as string,
    });

    expect(tries(rig)).toBe(2);
    expect(rig.plugins.ordered("ADD")).toHaveLength(2);
    expect(rig.record("c2")).toBeUndefined();
  });

  it("waits by default for a device until its debt is settled", async () => {
    const rig = await rigWithDebt(device);
    const added = rig.add(ofP2);
    await waitFor("the debt has been tried", () => tries(rig) === 2);
    expect(rig.record("c2")).toBeUndefined();
    rig.plugins.mendAll();

    await added;

    expect(rig.owed()).toEqual([]);
  });

  it("waits no longer than its own time, and then says for what", async () => {
    const rig = await rigWithDebt(device);

    await expect(rig.add({ ...ofP2, limitMs: 400 })).rejects.toMatchObject({
      failureClass: "device-busy",
      message: expect.stringContaining('device "0000:3b:02.1" still has a DEL owed') as string,
    });
  });

  it("goes on by default where only an address is owed", async () => {
    const rig = await rigWithDebt(address);

    await rig.add(ofP2);

    expect(tries(rig)).toBe(2);
    expect(rig.owed()).toEqual(["default/alpha [0] pending"]);
  });

  it("is held up by no dead letter", async () => {
    const rig = await rigWithDebt(device, "refuse");
    const giveUp = { retry: { initialMs: 3_600_000, maxMs: 3_600_000, giveUpAfterMs: 0 } };
    const networks = { "default/alpha": { delErrorPolicy: policy("deferred", giveUp) } };
    rig.settings = { ...rig.settings, networks };
    await rig.domain.desk.retryDeletion(rig.deletions.records()[0]?.id ?? "");
    expect(rig.owed()).toEqual(["default/alpha [0] dead"]);

    await rig.add(ofP2);

    expect(rig.record("c2")?.state).toBe("added");
  });
});
