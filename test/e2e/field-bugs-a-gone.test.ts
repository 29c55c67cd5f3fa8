import { describe, expect, it } from "vitest";
import { sumMetric } from "../support/metrics.ts";
import { network } from "../support/networks.ts";
import { type TestNode, useNode } from "../support/test-node.ts";
import type { TestSandbox } from "../support/test-sandbox.ts";

async function owed(node: TestNode): Promise<readonly unknown[]> {
  return (await node.daemon().get<{ items: unknown[] }>("/v1/deletions")).items;
}

/** A sandbox whose network alpha says `msg` to its DEL. */
async function sandboxThatHears(
  msg: string,
  policy: string,
): Promise<{ node: TestNode; sandbox: TestSandbox }> {
  const node = await useNode({ manifests: { "alpha.json": network("alpha", { policy }) } });
  const sandbox = await node.sandbox({ networks: "alpha" });
  await sandbox.run("ADD");
  await node.plugins.behave("alpha", "DEL", { code: 999, msg });
  return { node, sandbox };
}

const ignoring = '{"mode":"strict","ignore":["gone"]}';

/** How plugins say that what they should delete has gone. */
const gone = [
  "Link not found",
  'failed to lookup "net1": Link not found',
  'failed to find "net1": no such device',
  'interface "net1": no such network interface',
  "failed to find container device",
  'failed to open netns "/run/netns/x": no such network namespace',
  'port "veth42" is not found',
  "no IP reservation for this container",
];

/** What only sounds alike. */
const notGone = ["connection refused", "table not found", "permission denied", "timed out"];

describe("a plugin that says that everything has gone already", () => {
  it.each(gone)('A20: "%s" counts as done under "ignore": ["gone"], and is counted', async (msg) => {
    const { node, sandbox } = await sandboxThatHears(msg, ignoring);

    const deleted = await sandbox.run("DEL");

    expect(deleted).toMatchObject({ code: 0, stdout: "" });
    const { text } = await node.daemon().request({ path: "/metrics" });
    const labels = { network: "default/alpha", decision: "ignored" };
    expect(sumMetric(text, "multus_del_failures_total", labels)).toBe(1);
    expect(await owed(node)).toEqual([]);
    expect(await node.daemon().get("/v1/attachments")).toEqual({ items: [] });
  });

  it.each(notGone)('A20: "%s" is a failure like any other', async (msg) => {
    const { sandbox } = await sandboxThatHears(msg, ignoring);

    expect(await sandbox.run("DEL")).toMatchObject({ code: 1, printed: { code: 999 } });
  });

  it("A20: nothing is ignored unless somebody asked for it", async () => {
    const { node, sandbox } = await sandboxThatHears("Link not found", "deferred");

    expect((await sandbox.run("DEL")).code).toBe(0);
    expect(await owed(node)).toMatchObject([{ network: "default/alpha" }]);
  });
});
