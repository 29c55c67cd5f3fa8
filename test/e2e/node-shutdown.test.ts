import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { network } from "../support/networks.ts";
import { processesBelow } from "../support/processes.ts";
import type { RunningShim } from "../support/shim.ts";
import { type TestNode, useNode } from "../support/test-node.ts";
import type { TestSandbox } from "../support/test-sandbox.ts";
import { waitFor } from "../support/wait-for.ts";

/** As many pods as a node has by default. */
const sandboxCount = 110;
const shutdownGraceMs = 5_000;
/** For a machine that has other things to do. */
const toleranceMs = 2_500;

const policyOf = { alpha: "deferred", beta: "strict", gamma: "lenient" } as const;
const networks = Object.keys(policyOf);

async function useFullNode(): Promise<{ node: TestNode; sandboxes: readonly TestSandbox[] }> {
  const manifests = Object.entries(policyOf).map(([name, policy]) => [
    `${name}.json`,
    network(name, { policy }),
  ]);
  const node = await useNode({
    manifests: Object.fromEntries(manifests),
    config: { shutdownGrace: `${shutdownGraceMs}ms` },
  });
  const sandboxes: TestSandbox[] = [];
  for (let index = 0; index < sandboxCount; index++) {
    const sandbox = await node.sandbox({ networks: networks[index % networks.length] ?? "" });
    expect((await sandbox.run("ADD")).code).toBe(0);
    sandboxes.push(sandbox);
  }
  return { node, sandboxes };
}

/** Container IDs of which the spool or an owed deletion is on disk. */
async function onDisk({ stateDir }: TestNode): Promise<ReadonlySet<string>> {
  const found = new Set((await readdir(join(stateDir, "spool"))).map((name) => name.split("@")[0] ?? ""));
  for (const name of await readdir(join(stateDir, "deletions"))) {
    const text = await readFile(join(stateDir, "deletions", name), "utf8");
    found.add(/"sandbox":"([^"]+)"/.exec(text)?.[1] ?? "");
  }
  return found;
}

/** Plugins that ended well more than once for one interface. */
async function ranTwice(node: TestNode): Promise<readonly string[]> {
  const good = (await node.plugins.calls({ command: "DEL" })).filter((call) => call.exit === 0);
  const keys = good.map((call) => `${call.containerId}/${call.ifName}/${call.type}`);
  return keys.filter((key, index) => keys.indexOf(key) !== index);
}

describe("SIGTERM while a node is being drained and every plugin hangs", () => {
  it(`answers or spools ${sandboxCount} DELs, ends within its grace, and loses none`, {
    timeout: 240_000,
  }, async () => {
    const { node, sandboxes } = await useFullNode();
    for (const type of [...networks, "primary"]) await node.plugins.behave(type, "DEL", { hang: true });
    const deleting: RunningShim[] = [];
    const begin = (from: number, to: number) => {
      for (const sandbox of sandboxes.slice(from, to)) deleting.push(sandbox.begin("DEL"));
    };
    begin(0, sandboxCount / 2);
    await waitFor("plugins to hang", async () => {
      return (await node.plugins.calls({ command: "DEL" })).length >= 10;
    });

    const toldAtMs = performance.now();
    const stopping = node.daemon().stop();
    begin(sandboxCount / 2, sandboxCount);
    const exitCode = await stopping;
    const tookMs = performance.now() - toldAtMs;
    const outcomes = await Promise.all(deleting.map(async ({ ended }) => await ended));
    const kept = await onDisk(node);

    expect(exitCode).toBe(3);
    expect(tookMs).toBeLessThan(shutdownGraceMs + toleranceMs);
    const succeeded = sandboxes.filter((_, index) => outcomes[index]?.code === 0);
    const refused = sandboxes.filter((_, index) => outcomes[index]?.printed?.code === 11);
    expect(succeeded.length + refused.length).toBe(sandboxCount);
    expect(refused.length).toBeGreaterThan(0);
    expect(succeeded.filter(({ containerId }) => !kept.has(containerId))).toEqual([]);
    await waitFor("the plugins' end", async () => (await processesBelow(node.plugins.binDir)).length === 0);

    for (const type of [...networks, "primary"]) await node.plugins.restore(type, "DEL");
    await node.start();
    for (const sandbox of refused) expect(await sandbox.run("DEL")).toMatchObject({ code: 0, stdout: "" });
    await waitFor("settlement", async () => (await node.plugins.held()).length === 0, 60_000);
    expect(await ranTwice(node)).toEqual([]);
  });
});
