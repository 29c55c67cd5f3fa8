import { createHash, randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sumMetric } from "../support/metrics.ts";
import { network } from "../support/networks.ts";
import { runShim, type ShimOutcome } from "../support/shim.ts";
import { type TestNode, useNode } from "../support/test-node.ts";
import type { TestSandbox } from "../support/test-sandbox.ts";
import { waitFor } from "../support/wait-for.ts";

/** `count` sandboxes of the primary network alone. */
async function attachMany(node: TestNode, count: number): Promise<readonly TestSandbox[]> {
  const sandboxes: TestSandbox[] = [];
  for (let index = 0; index < count; index++) {
    const sandbox = await node.sandbox();
    expect((await sandbox.run("ADD")).code).toBe(0);
    sandboxes.push(sandbox);
  }
  return sandboxes;
}

function percentile95(outcomes: readonly ShimOutcome[]): number {
  const sorted = outcomes.map(({ wallMs }) => wallMs).toSorted((left, right) => left - right);
  return sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0;
}

async function addOneAfterAnother(node: TestNode, count: number): Promise<readonly ShimOutcome[]> {
  const outcomes: ShimOutcome[] = [];
  for (let index = 0; index < count; index++) {
    const sandbox = await node.sandbox();
    outcomes.push(await sandbox.run("ADD"));
  }
  return outcomes;
}

describe("a storm of DELs that fail slowly", () => {
  it("A12: delays no healthy ADD", async () => {
    const node = await useNode({ manifests: { "alpha.json": network("alpha") } });
    const idle = percentile95(await addOneAfterAnother(node, 10));
    await node.plugins.behave("alpha", "ADD", { code: 101 });
    await node.plugins.behave("alpha", "DEL", { code: 42, sleep: 2 });
    const broken = await Promise.all(Array.from({ length: 50 }, () => node.sandbox({ networks: "alpha" })));
    const storm = broken.flatMap((sandbox) => [1, 2, 3, 4].map(() => sandbox.begin("DEL")));
    await waitFor("the storm", async () => (await node.plugins.calls({ command: "DEL" })).length > 20);

    const healthy = await addOneAfterAnother(node, 20);

    expect(healthy.map(({ code }) => code)).toEqual(Array(20).fill(0));
    expect(percentile95(healthy)).toBeLessThan(2 * idle + 1_000);
    const outcomes = await Promise.all(storm.map(async ({ ended }) => await ended));
    expect(outcomes.map(({ code }) => code)).toEqual(Array(200).fill(0));
  });
});

/** How often a plugin ended well for one container. */
async function goodDeletions(node: TestNode): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const call of await node.plugins.calls({ command: "DEL" })) {
    if (call.exit === 0) counts.set(call.containerId, (counts.get(call.containerId) ?? 0) + 1);
  }
  return counts;
}

describe("a store of addresses that is away while pods go", () => {
  it("A28: 100 DELs succeed, are retried over two kill -9, and each is settled once", async () => {
    const node = await useNode();
    const sandboxes = await attachMany(node, 100);
    await node.plugins.behave("primary", "DEL", { code: 11, msg: "timed out" });

    for (const sandbox of sandboxes) expect(await sandbox.run("DEL")).toMatchObject({ code: 0, stdout: "" });
    for (const _ of [1, 2]) {
      const before = (await node.plugins.calls({ command: "DEL" })).length;
      await node.daemon().kill();
      await node.start();
      await waitFor("a retry", async () => (await node.plugins.calls({ command: "DEL" })).length > before);
    }
    const owed = await node.daemon().get<{ items: unknown[] }>("/v1/deletions");
    const failed = (await node.plugins.calls({ command: "DEL" })).length;
    await node.plugins.restore("primary", "DEL");

    expect(owed.items).toHaveLength(100);
    // One network that is down is asked by a probe, not by a hundred debts again and again.
    expect(failed).toBeLessThan(180);
    await waitFor("settlement", async () => (await node.plugins.held()).length === 0, 30_000);
    const times = await goodDeletions(node);
    expect(times.size).toBe(100);
    expect([...times.values()].filter((count) => count !== 1)).toEqual([]);
  });
});

/** Without files in the making, which a killed daemon leaves for a later one to clear away. */
async function entriesOfSpool(node: TestNode): Promise<readonly string[]> {
  return (await readdir(join(node.stateDir, "spool"))).filter((name) => !name.startsWith("."));
}

/** Three daemons that die over one entry make it a dead letter. */
async function owedContainers(node: TestNode): Promise<readonly string[]> {
  const { items } = await node
    .daemon()
    .get<{ items: readonly { readonly sandbox: string }[] }>("/v1/deletions");
  return items.map(({ sandbox }) => sandbox);
}

describe("shims that spool while the daemon comes and goes", () => {
  it("A30: every DEL is taken in, none waits for the next start, no shim waits long", async () => {
    const node = await useNode();
    const template = (await node.sandbox()).call("DEL");
    const outcomes: ShimOutcome[] = [];
    const containerIds: string[] = [];
    let isOver = false;
    const lane = async () => {
      while (!isOver) {
        const containerId = randomUUID();
        containerIds.push(containerId);
        outcomes.push(await runShim({ ...template, containerId }));
      }
    };
    const lanes = Array.from({ length: 8 }, lane);
    for (let restart = 0; restart < 12; restart++) {
      await node.daemon().kill();
      await node.start();
    }
    isOver = true;
    await Promise.all(lanes);

    await waitFor("an empty spool", async () => (await entriesOfSpool(node)).length === 0, 30_000);
    expect(outcomes.filter(({ code }) => code !== 0)).toEqual([]);
    expect(percentile95(outcomes)).toBeLessThan(3_000);
    await waitFor("every DEL", async () => {
      const known = new Set([...(await goodDeletions(node)).keys(), ...(await owedContainers(node))]);
      return containerIds.every((containerId) => known.has(containerId));
    });
  });
});

describe("many sandboxes at once", () => {
  it("A34: wait for each other in nothing, and every plugin starts in the root directory", async () => {
    const node = await useNode({ config: { limits: { concurrentDelegates: 27 } } });
    const sandboxes = await Promise.all(Array.from({ length: 50 }, () => node.sandbox()));
    await node.plugins.behave("primary", "ADD", { gate: "go" });
    const adding = sandboxes.map((sandbox) => sandbox.begin("ADD"));
    // Two of the 27 are kept for DELs.
    const running = await waitFor("the first half", async () => {
      const calls = await node.plugins.calls({ command: "ADD" });
      return calls.length >= 25 && calls;
    });
    const directories = await Promise.all(running.map(async ({ pid }) => await readlink(`/proc/${pid}/cwd`)));
    await node.plugins.open("go");
    const outcomes = await Promise.all(adding.map(async ({ ended }) => await ended));

    expect(running).toHaveLength(25);
    expect(new Set(directories)).toEqual(new Set(["/"]));
    expect(outcomes.filter(({ code }) => code !== 0)).toEqual([]);
  });
});

const leftovers = 10_000;

/** Copies a sandbox's record under other container IDs, as a node's life may have left them. */
async function leaveRecords(node: TestNode, { containerId }: TestSandbox): Promise<void> {
  const directory = join(node.stateDir, "sandboxes");
  const text = await readFile(join(directory, `${containerId}.json`), "utf8");
  const [, body = ""] = /"body":(.*)\}\n$/.exec(text) ?? [];
  for (let index = 0; index < leftovers; index++) {
    const id = `left-${index}`;
    const copy = body.replaceAll(containerId, id);
    const sha256 = createHash("sha256").update(copy).digest("hex");
    const sealed = `{"kind":"multusd.sandbox","version":1,"sha256":"${sha256}","body":${copy}}\n`;
    writeFileSync(join(directory, `${id}.json`), sealed, { mode: 0o600 });
  }
}

async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
}

describe("a node with the records of its whole life", () => {
  it(`A31: serves at once with ${leftovers} of them, and looks through them in little memory`, async () => {
    const node = await useNode({ manifests: { "alpha.json": network("alpha") } });
    const sandbox = await node.sandbox({ networks: "alpha" });
    await sandbox.run("ADD");
    const { readyAfterMs: usualMs } = node.daemon();
    const usualMb = await residentMb(node.daemon().pid);
    await node.daemon().stop();
    await leaveRecords(node, sandbox);

    const daemon = await node.start();
    const added = await (await node.sandbox({ networks: "alpha" })).run("ADD");

    expect(added.code).toBe(0);
    expect(daemon.readyAfterMs).toBeLessThan(usualMs + 1_500);
    await waitFor("the look through them", async () => {
      const { text } = await daemon.request({ path: "/metrics" });
      return sumMetric(text, "multus_sandboxes") === leftovers + 2;
    });
    // What it has read is garbage by now, but nobody can say when that is collected.
    expect(await residentMb(daemon.pid)).toBeLessThan(usualMb + 150);
  });
});
