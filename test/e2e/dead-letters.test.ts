import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { dist } from "../support/dist.ts";
import { alphaAndBeta } from "../support/networks.ts";
import { type ProgramOutcome, runProgram } from "../support/run-program.ts";
import { type TestNode, useNode } from "../support/test-node.ts";
import { waitFor } from "../support/wait-for.ts";

interface Listing<Item> {
  readonly items: readonly Item[];
}
interface Letter {
  readonly id: string;
  readonly state: string;
  readonly sandbox: string;
}

async function control(node: TestNode, ...args: readonly string[]): Promise<ProgramOutcome> {
  const program = { program: dist.control, env: { PATH: process.env["PATH"] ?? "" } };
  return await runProgram({ ...program, args: ["--socket", node.socket, ...args] });
}

async function deletions(node: TestNode): Promise<readonly Letter[]> {
  return (await node.daemon().get<Listing<Letter>>("/v1/deletions")).items;
}

const brief = { mode: "deferred", retry: { initial: "1ms", max: "5ms", giveUpAfter: "10ms" } };

/** A node whose network alpha fails its DEL, with that many dead letters. */
async function nodeWithDeadLetters(count: number, limit = 100): Promise<TestNode> {
  const config = { delErrorPolicy: brief, limits: { deadLetters: limit } };
  const node = await useNode({ manifests: alphaAndBeta(), config });
  await node.plugins.behave("alpha", "DEL", { code: 42, msg: "no route to the switch" });
  for (let index = 1; index <= count; index += 1) {
    const sandbox = await node.sandbox({ networks: "alpha" });
    await sandbox.run("ADD");
    await sandbox.run("DEL");
    await waitFor("it is given up", async () => {
      const all = await deletions(node);
      return all.length === Math.min(index, limit) && all.every(({ state }) => state === "dead");
    });
  }
  return node;
}

describe("dead letters", () => {
  it("survive a restart with their tries, and are settled by a retry of their network", async () => {
    const node = await nodeWithDeadLetters(2);
    await node.daemon().kill();
    await node.start();
    const [letter] = await deletions(node);

    const shown = await control(node, "deletions", "show", letter?.id ?? "");
    const failed = await control(node, "deletions", "retry", "--network", "default/alpha");
    await node.plugins.restore("alpha", "DEL");
    const elsewhere = await control(node, "deletions", "retry", "--network", "default/beta");
    const settled = await control(node, "deletions", "retry", "--all");

    expect(shown.stdout).toContain("attempts by the daemon");
    expect(shown.stdout).toMatch(/no route to the switch[\s\S]*no route to the switch/);
    expect([failed.code, elsewhere.code]).toEqual([1, 1]);
    expect(settled.stdout).toContain("settled");
    await waitFor("nothing is owed", async () => (await deletions(node)).length === 0);
    expect(await node.plugins.held()).toEqual([]);
  });

  it("are tried again by themselves once a DEL of their network has succeeded", async () => {
    const node = await nodeWithDeadLetters(2);
    await node.plugins.restore("alpha", "DEL");
    const sandbox = await node.sandbox({ networks: "alpha" });
    await sandbox.run("ADD");

    await sandbox.run("DEL");

    await waitFor("nothing is owed", async () => (await deletions(node)).length === 0);
    expect(await node.plugins.held()).toEqual([]);
  });

  it("beyond the limit are lines of the archive, the oldest first", async () => {
    const node = await nodeWithDeadLetters(3, 1);
    const file = join(node.stateDir, "deletions", "archive.jsonl");

    await waitFor("two are archived", async () => (await linesOf(file)).length === 2);

    const archived = (await linesOf(file)).map((line) => JSON.parse(line) as Letter & { reason: string });
    expect(archived[0]).toMatchObject({ state: "dead", reason: "given up after 10ms" });
    expect(new Set([...archived, ...(await deletions(node))].map(({ id }) => id)).size).toBe(3);
  });
});

describe("multusctl leaks", () => {
  it("is 0 while every sandbox lives, and 1 with what would be done for one that is gone", async () => {
    const config = { collectLeftovers: { uncertain: "delete" } };
    const node = await useNode({ manifests: alphaAndBeta(), config });
    const sandbox = await node.sandbox({ networks: "alpha" });
    await sandbox.run("ADD");
    expect(await control(node, "leaks")).toMatchObject({ code: 0 });
    await sandbox.namespace.remove();

    const one = await control(node, "leaks", "-o", "json");
    await rm(join(node.manifestDir, `pod-default-${sandbox.pod}.json`));

    expect(JSON.parse(one.stdout)).toMatchObject({
      items: [{ sandbox: sandbox.containerId, kind: "no-namespace", action: "report" }],
    });
    await waitFor("the daemon knows that the pod is gone", async () => {
      const leaks = await control(node, "leaks");
      return leaks.code === 1 && leaks.stdout.includes(" delete ");
    });
    expect(await node.plugins.held()).not.toEqual([]);
  });
});

async function linesOf(file: string): Promise<readonly string[]> {
  return (await readFile(file, "utf8").catch(() => "")).split("\n").slice(0, -1);
}
