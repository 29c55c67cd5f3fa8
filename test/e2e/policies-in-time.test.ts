import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { network } from "../support/networks.ts";
import { type TestNode, useNode } from "../support/test-node.ts";
import type { TestSandbox } from "../support/test-sandbox.ts";
import { waitFor } from "../support/wait-for.ts";

/** A sandbox of one network whose DEL fails with code 42. */
async function sandboxThatFails(policy: string): Promise<{ node: TestNode; sandbox: TestSandbox }> {
  const node = await useNode({ manifests: { "alpha.json": network("alpha", { policy }) } });
  const sandbox = await node.sandbox({ networks: "alpha" });
  expect((await sandbox.run("ADD")).code).toBe(0);
  await node.plugins.behave("alpha", "DEL", { code: 42, msg: "no route to the switch" });
  return { node, sandbox };
}

async function owed(node: TestNode): Promise<readonly unknown[]> {
  return (await node.daemon().get<{ items: unknown[] }>("/v1/deletions")).items;
}

async function untilNothingIsHeld(node: TestNode): Promise<void> {
  await waitFor("settlement", async () => (await node.plugins.held()).length === 0);
}

const refused = { code: 1, printed: { code: 42 } };
const succeeded = { code: 0, stdout: "" };

describe("a strict network that goes on failing", () => {
  it("is handed over after so many refusals, a restart between them counted on", async () => {
    const { node, sandbox } = await sandboxThatFails('{"mode":"strict","escalate":{"attempts":2}}');

    const first = await sandbox.run("DEL");
    await node.daemon().kill();
    await node.start();
    const second = await sandbox.run("DEL");
    const third = await sandbox.run("DEL");

    expect([first, second]).toMatchObject([refused, refused]);
    expect(second.stdout).toBe(first.stdout);
    expect(first.printed?.msg).toContain("after 2 attempts or 10m");
    expect(third).toMatchObject(succeeded);
    expect(await owed(node)).toMatchObject([{ network: "default/alpha", state: "pending" }]);
    await node.plugins.restore("alpha", "DEL");
    await untilNothingIsHeld(node);
  });

  it("is handed over after so long, although its runtime never calls again", async () => {
    const { node, sandbox } = await sandboxThatFails('{"mode":"strict","escalate":{"age":"1s"}}');

    expect(await sandbox.run("DEL")).toMatchObject(refused);

    await waitFor("the daemon to owe it", async () => (await owed(node)).length === 1);
    await node.plugins.restore("alpha", "DEL");
    await untilNothingIsHeld(node);
    expect(await sandbox.run("DEL")).toMatchObject(succeeded);
  });
});

describe("a network that hangs its pods", () => {
  it.each([
    { policy: "deferred", left: 1 },
    { policy: "lenient", left: 0 },
  ])("is freed by the daemon's configuration: $policy", async ({ policy, left }) => {
    const { node, sandbox } = await sandboxThatFails("strict");
    expect(await sandbox.run("DEL")).toMatchObject(refused);

    await node.configure({ networks: { "default/alpha": { delErrorPolicy: policy } } });
    await waitFor("the reload", async () => (await node.daemon().log()).includes("configuration reloaded"));

    expect(await sandbox.run("DEL")).toMatchObject(succeeded);
    expect(await owed(node)).toHaveLength(left);
    expect(await node.daemon().get("/v1/attachments")).toEqual({ items: [] });
  });
});

describe("a deferred network whose first attempt comes later", () => {
  it("is answered before its plugin ends, is owed meanwhile, and runs once", async () => {
    const { node, sandbox } = await sandboxThatFails('{"mode":"deferred","firstAttempt":"none"}');
    await node.plugins.behave("alpha", "DEL", { gate: "go" });

    expect(await sandbox.run("DEL")).toMatchObject(succeeded);
    expect(await owed(node)).toMatchObject([{ network: "default/alpha", attempts: 0 }]);
    await node.plugins.open("go");
    await untilNothingIsHeld(node);
    expect(await node.plugins.calls({ type: "alpha", command: "DEL" })).toHaveLength(1);
  });
});

describe("a deletion that nobody could settle in time", () => {
  it("is a dead letter that blocks nothing, survives a restart, and is settled when an operator asks", async () => {
    const policy = '{"mode":"deferred","retry":{"initial":"100ms","max":"200ms","giveUpAfter":"1s"}}';
    const { node, sandbox } = await sandboxThatFails(policy);
    await sandbox.run("DEL");
    const dead = await waitFor("the dead letter", async () => {
      const [letter] = (await owed(node)) as readonly { readonly id: string; readonly state: string }[];
      return letter?.state === "dead" && letter;
    });

    const file = join(node.stateDir, "deletions", `${dead.id}.json`);
    await waitFor("it to be on disk", async () => (await readFile(file, "utf8")).includes('"state":"dead"'));
    await node.daemon().kill();
    await node.start();
    const kept = await owed(node);
    const tries = (await node.plugins.calls({ type: "alpha", command: "DEL" })).length;
    const other = await (await node.sandbox({ networks: "alpha" })).run("ADD");
    await node.plugins.restore("alpha", "DEL");
    const retry = await node.daemon().request({ method: "POST", path: `/v1/deletions/${dead.id}/retry` });

    expect(kept).toMatchObject([{ id: dead.id, state: "dead", reason: "given up after 1s" }]);
    expect(await node.plugins.calls({ type: "alpha", command: "DEL" })).toHaveLength(tries + 1);
    expect(other.code).toBe(0);
    expect(retry.status).toBe(200);
    expect(await owed(node)).toEqual([]);
  });
});
