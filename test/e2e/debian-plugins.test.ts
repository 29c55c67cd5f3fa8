import { beforeAll, beforeEach, describe, expect, it, type TestContext } from "vitest";
import { type Attachment, CniError, type NetworkList, parseNetworkList } from "../../src/cni/index.ts";
import { hostBinary, hostBuildMs } from "../support/host-binary.ts";
import { missingForDebianPlugins } from "../support/machine.ts";
import type { TestNamespace } from "../support/network-namespace.ts";
import { type PluginWiring, usePluginWiring, whyNotInNamespace } from "../support/plugin-wiring.ts";
import { fourPlugins, scenarios } from "./debian-plugin-scenarios.ts";

function listOf(plugins: readonly object[]): NetworkList {
  return parseNetworkList(JSON.stringify({ cniVersion: "1.0.0", name: "mt-net", plugins }));
}

/** `fine`, or what a plugin found. */
async function check(wiring: PluginWiring, list: NetworkList, more?: Partial<Attachment>): Promise<string> {
  try {
    await wiring.check(list, more);
    return "fine";
  } catch (error) {
    if (error instanceof CniError) return error.message;
    throw error;
  }
}

/** Nothing of the attachment is on the node any more; bridges and shared chains stay by design. */
async function expectNoTrace(wiring: PluginWiring): Promise<void> {
  const links = await wiring.node.run("ip", "-br", "link");
  const rules = await wiring.node.run("sh", "-c", "iptables-save; ip6tables-save");
  expect(links).not.toMatch(/veth|bwp|macvlan/);
  for (const trace of [wiring.containerId, "10.214.0.2", "fd00:214::2", "20080"]) {
    expect(rules).not.toContain(trace);
  }
  expect(await wiring.leases()).toEqual([]);
}

/** Counted as skipped with what the kernel said, never as passed. */
async function skipWithout(needs: string, context: TestContext): Promise<void> {
  const missing = await whyNotInNamespace(needs);
  context.skip(missing !== undefined, `the kernel lacks something: ${missing}`);
}

async function expectToPrint(where: TestNamespace, what?: readonly [string, RegExp]): Promise<void> {
  if (what !== undefined) expect(await where.run("sh", "-c", what[0])).toMatch(what[1]);
}

beforeAll(async () => void (await hostBinary()), hostBuildMs);

describe("Debian's plugins by src/cni and multus-host", () => {
  beforeEach((context) => {
    const missing = missingForDebianPlugins();
    context.skip(missing !== undefined, missing);
  });

  it.for(scenarios)(
    "$name: ADD, CHECK, a CHECK that finds what has gone, DEL, DEL",
    async (scenario, context) => {
      await skipWithout(scenario.needs, context);
      const wiring = await usePluginWiring();
      const list = listOf(scenario.plugins(wiring.dataDir));

      const result = await wiring.add(list, scenario.more);
      expect(result.cniVersion).toBe("1.0.0");
      expect(result.ips.map(({ address }) => address)).toEqual(
        scenario.addresses ?? ["10.214.0.2/24", "fd00:214::2/64"],
      );
      await expectToPrint(wiring.pod, scenario.inPod);
      await expectToPrint(wiring.node, scenario.inNode);

      expect(await check(wiring, list, scenario.more)).toMatch(scenario.whole ?? /^fine$/);
      await wiring.pod.run("sh", "-ec", scenario.spoilPod ?? "true");
      await wiring.node.run("sh", "-ec", scenario.spoilNode ?? "true");
      expect(await check(wiring, list, scenario.more)).not.toBe("fine");

      for (let time = 0; time < 2; time += 1) {
        await wiring.delete(list, scenario.more);
        await expectNoTrace(wiring);
      }
    },
  );

  it("four plugins leave nothing of a pod whose namespace has gone", async (context) => {
    await skipWithout(fourPlugins.needs, context);
    const wiring = await usePluginWiring();
    const list = listOf(fourPlugins.plugins(wiring.dataDir));
    await wiring.add(list);
    await wiring.pod.remove();

    await wiring.delete(list, { netns: "" });

    await expectNoTrace(wiring);
  });
});
