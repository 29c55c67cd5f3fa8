import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { network } from "../../support/networks.ts";
import type { CallFilter } from "../../support/recording-plugins.ts";
import { type TestNode, useNode } from "../../support/test-node.ts";
import { waitFor } from "../../support/wait-for.ts";

const cniVersion = "1.1.0";

/** Of a request that waits there is nothing to see; one that does not wait shows it within this. */
const unseenMs = 300;

async function useNodeWithAlpha(): Promise<TestNode> {
  return await useNode({
    primary: { cniVersion, name: "primary-net", plugins: [{ type: "primary" }] },
    manifests: { "alpha.json": network("alpha", { cniVersion }) },
  });
}

async function started(node: TestNode, filter: CallFilter): Promise<void> {
  await waitFor(
    `a call of ${JSON.stringify(filter)}`,
    async () => (await node.plugins.calls(filter)).length > 0,
  );
}

/** `type command` of what ran on the network alpha, in the order of the starts; each had ended before the next began. */
async function turnsOnAlpha(node: TestNode): Promise<readonly string[]> {
  const calls = await node.plugins.calls({ type: "alpha" });
  for (const [index, call] of calls.entries()) {
    const next = calls[index + 1];
    if (next !== undefined) expect(next.startedNs).toBeGreaterThan(call.endedNs ?? 0n);
  }
  return calls.map(({ command }) => command);
}

describe("GC beside ADD", () => {
  it("case 61: a GC waits for an ADD that runs, and then knows its attachment as valid", async () => {
    const node = await useNodeWithAlpha();
    const [sandbox, other] = [await node.sandbox({ networks: "alpha" }), await node.sandbox()];
    await node.plugins.behave("alpha", "ADD", { gate: "add-may-end" });
    const adding = sandbox.run("ADD");
    await started(node, { type: "alpha", command: "ADD" });

    const collecting = other.run("GC", { cniVersion, stdin: { "cni.dev/valid-attachments": [] } });
    await pause(unseenMs);
    await node.plugins.open("add-may-end");

    expect(await adding).toMatchObject({ code: 0 });
    expect(await collecting).toMatchObject({ code: 0 });
    expect(await turnsOnAlpha(node)).toEqual(["ADD", "GC"]);
    expect(await node.plugins.held()).toHaveLength(2);
  });

  it("case 61: an ADD waits for a GC that runs", async () => {
    const node = await useNodeWithAlpha();
    const [first, second] = [
      await node.sandbox({ networks: "alpha" }),
      await node.sandbox({ networks: "alpha" }),
    ];
    await first.run("ADD");
    await node.plugins.behave("alpha", "GC", { gate: "gc-may-end" });
    const valid = [{ containerID: first.containerId, ifname: "eth0" }];
    const collecting = first.run("GC", { cniVersion, stdin: { "cni.dev/valid-attachments": valid } });
    await started(node, { type: "alpha", command: "GC" });

    const adding = second.run("ADD");
    await pause(unseenMs);
    await node.plugins.open("gc-may-end");

    expect(await collecting).toMatchObject({ code: 0 });
    expect(await adding).toMatchObject({ code: 0 });
    expect(await turnsOnAlpha(node)).toEqual(["ADD", "GC", "ADD"]);
  });
});
