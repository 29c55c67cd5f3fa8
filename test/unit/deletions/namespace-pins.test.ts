import { describe, expect, it } from "vitest";
import type { NetworkSettings } from "../../../src/attachments/settings.ts";
import { type DomainRig, list, policy, useDomainRig } from "../../support/domain-rig.ts";

const slow = { retry: { initialMs: 3_600_000, maxMs: 3_600_000, giveUpAfterMs: 1e12 } };
const device = { deviceID: "0000:3b:02.1" };

/** c1 with network `alpha`, whose DEL has failed; its namespace is gone by now. */
async function rigWithDebt(
  wish: object,
  pinNamespaces?: NetworkSettings["pinNamespaces"],
): Promise<DomainRig> {
  const rig = await useDomainRig();
  rig.define("alpha", list("alpha-net", ["alpha"]));
  rig.pod("p1", JSON.stringify([{ name: "alpha", ...wish }]));
  const pinning = pinNamespaces === undefined ? {} : { pinNamespaces };
  const networks = { "default/alpha": { delErrorPolicy: policy("deferred", slow), ...pinning } };
  rig.settings = { ...rig.settings, networks };
  await rig.add();
  rig.plugins.fail("alpha", "DEL");
  await rig.delete();
  rig.namespaces.remove("/run/netns/c1");
  rig.plugins.mendAll();
  return rig;
}

async function retry(rig: DomainRig): Promise<string> {
  const id = rig.deletions.records()[0]?.id ?? "";
  await rig.domain.desk.retryDeletion(id);
  return id;
}

describe("the namespace of an owed deletion", () => {
  it("is held before the runtime's answer where a device is in it, given to the retry, then let go (A23)", async () => {
    const rig = await rigWithDebt(device);
    expect(rig.namespaces.pinned.size).toBe(1);

    const id = await retry(rig);

    expect(rig.plugins.find("alpha", "DEL").netns).toBe(`/proc/1/fd/${id}`);
    expect(rig.namespaces.pinned.size).toBe(0);
    expect(rig.instruments.retries).toEqual(["default/alpha settled"]);
  });

  it("is held without a device only if the operator says all, and never if they say none", async () => {
    const held = async (...wishes: Parameters<typeof rigWithDebt>) =>
      (await rigWithDebt(...wishes)).namespaces.pinned.size;
    expect(await held({})).toBe(0);
    expect(await held({}, "all")).toBe(1);
    expect(await held(device, "none")).toBe(0);
  });

  it("counts as unverified where it could not be held, since nobody saw the device come back", async () => {
    const rig = await rigWithDebt(device, "none");

    await retry(rig);

    expect(rig.plugins.find("alpha", "DEL").netns).toBe("");
    expect(rig.instruments.retries).toEqual(["default/alpha unverified"]);
    expect(rig.owed()).toEqual([]);
  });

  it("is left alone by the undoing of an ADD, since the next one may come in it", async () => {
    const rig = await useDomainRig();
    rig.define("alpha", list("alpha-net", ["alpha", "beta"]));
    rig.pod("p1", JSON.stringify([{ name: "alpha", ...device }]));
    rig.plugins.fail("beta", "ADD");
    rig.plugins.fail("alpha", "DEL");

    await expect(rig.add()).rejects.toThrow();

    expect(rig.namespaces.pinned.size).toBe(0);
  });
});
