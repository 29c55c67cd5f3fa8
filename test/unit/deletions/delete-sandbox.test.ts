import { describe, expect, it } from "vitest";
import { useDomainRig } from "../../support/domain-rig.ts";

describe("DeleteSandbox", () => {
  it("deletes all networks last first, with the stdin of ADD and its result", async () => {
    const rig = await useDomainRig();
    rig.standardNetworks();
    const result = await rig.add();
    expect(JSON.parse(result)).toMatchObject({ cniVersion: "1.0.0", interfaces: [{ name: "eth0" }] });

    await rig.delete();

    expect(rig.plugins.order).toEqual([
      "primary ADD c1/eth0",
      "alpha ADD c1/net1",
      "beta ADD c1/net2",
      "beta DEL c1/net2",
      "alpha DEL c1/net1",
      "primary DEL c1/eth0",
    ]);
    expect(rig.plugins.allocations.size).toBe(0);
  });
});
