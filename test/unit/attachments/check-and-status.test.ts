import { describe, expect, it } from "vitest";
import { list, useDomainRig } from "../../support/domain-rig.ts";

describe("CHECK", () => {
  it("asks every network's plugins in ADD order, with what ADD gave", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    await rig.add();

    await rig.check();

    expect(rig.plugins.ordered("CHECK")).toEqual(["primary eth0", "alpha net1", "beta net2"]);
    expect(rig.plugins.find("alpha", "CHECK").stdin).toContain('"prevResult"');
  });

  it("fails with the plugin's own code and the network's name", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    await rig.add();
    rig.plugins.fail("alpha", "CHECK", { code: 77, msg: "link is down" });

    const checked = rig.check();

    await expect(checked).rejects.toMatchObject({ failureClass: "delegate-failed", code: 77 });
    await expect(checked).rejects.toThrow(/"default\/alpha".*link is down/);
  });

  it("of a container that has nothing here fails with code 3", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    await expect(rig.check()).rejects.toMatchObject({ code: 3 });
    await rig.add();
    await rig.delete();

    await expect(rig.check()).rejects.toMatchObject({ code: 3 });
  });

  it("is bounded, and says that time was the cause", async () => {
    const rig = await useDomainRig({ timeouts: { checkMs: 40 } });
    rig.standardNetworks();
    await rig.add();
    rig.plugins.hang("alpha", "CHECK");

    await expect(rig.check()).rejects.toMatchObject({ failureClass: "deadline-exceeded" });
  });
});

describe("CHECK beside an ADD of the same sandbox", () => {
  it("waits for its turn no longer than its own time", async () => {
    const rig = await useDomainRig({ timeouts: { checkMs: 30 } });
    rig.standardNetworks();
    const held = rig.plugins.hold("alpha", "ADD");
    const added = rig.add();
    await held.begun;

    await expect(rig.check()).rejects.toMatchObject({ failureClass: "deadline-exceeded" });

    held.release();
    await added;
  });
});

describe("STATUS", () => {
  const modern = { overlay: { delegates: [{ ...list("primary-net", ["primary"]), cniVersion: "1.1.0" }] } };

  it("asks the primary's plugins", async () => {
    const rig = await useDomainRig(modern);

    await rig.domain.operations.status(rig.invocation("STATUS"), new AbortController().signal);

    expect(rig.plugins.ordered("STATUS")).toEqual(["primary "]);
  });

  it("fails with the primary's own code, or 50", async () => {
    const rig = await useDomainRig(modern);
    const status = () => rig.domain.operations.status(rig.invocation("STATUS"), new AbortController().signal);
    rig.plugins.fail("primary", "STATUS", { code: 51, msg: "limited" });
    await expect(status()).rejects.toMatchObject({ failureClass: "not-ready", code: 51 });

    rig.settings = { ...rig.settings, overlay: '{"clusterNetwork":"/nowhere.conflist"}' };

    await expect(status()).rejects.toMatchObject({ failureClass: "not-ready", code: 50 });
  });
});
