import { describe, expect, it } from "vitest";
import { alphaAndBeta, network } from "../support/networks.ts";
import { type TestNode, useNode } from "../support/test-node.ts";
import type { TestSandbox } from "../support/test-sandbox.ts";
import { waitFor } from "../support/wait-for.ts";

interface Deletions {
  readonly items: readonly {
    readonly id: string;
    readonly state: string;
    readonly network: string;
    readonly sandbox: string;
    readonly plugins: readonly string[];
    readonly policy: { readonly mode: string; readonly source: string };
    readonly lastError: { readonly code: number } | null;
  }[];
}

/** A sandbox with primary, alpha, beta, and alpha's DEL broken with code 42. */
async function sandboxWithBrokenMiddle(policy: string): Promise<{ node: TestNode; sandbox: TestSandbox }> {
  const node = await useNode({
    manifests: { ...alphaAndBeta(), "alpha.json": network("alpha", { policy }) },
  });
  const sandbox = await node.sandbox({ networks: "alpha,beta" });
  expect((await sandbox.run("ADD")).code).toBe(0);
  await node.plugins.behave("alpha", "DEL", { code: 42, msg: "no route to the switch" });
  return { node, sandbox };
}

async function deletedTypes(node: TestNode): Promise<readonly string[]> {
  return (await node.plugins.calls({ command: "DEL" })).map((call) => call.type);
}

async function deletions(node: TestNode): Promise<Deletions["items"]> {
  return (await node.daemon().get<Deletions>("/v1/deletions")).items;
}

describe("DEL with a failing middle network", () => {
  it("A01, A07: strict: deletes the rest, reports the failed network, and asks only for it again", async () => {
    const { node, sandbox } = await sandboxWithBrokenMiddle("strict");

    const first = await sandbox.run("DEL");
    const second = await sandbox.run("DEL");

    expect(first).toMatchObject({ code: 1, printed: { code: 42 } });
    expect(first.printed?.msg).toContain("default/alpha");
    expect(second.stdout).toBe(first.stdout);
    expect(await deletedTypes(node)).toEqual(["beta", "alpha", "primary", "alpha"]);
    await node.plugins.restore("alpha", "DEL");
    expect(await sandbox.run("DEL")).toMatchObject({ code: 0, stdout: "" });
    expect(await node.plugins.held()).toEqual([]);
  });

  it("A07: lenient: one attempt, success, nothing owed", async () => {
    const { node, sandbox } = await sandboxWithBrokenMiddle("lenient");

    const deleted = await sandbox.run("DEL");

    expect(deleted).toMatchObject({ code: 0, stdout: "" });
    expect(await deletedTypes(node)).toEqual(["beta", "alpha", "primary"]);
    expect(await deletions(node)).toEqual([]);
    expect(await node.daemon().get("/v1/attachments")).toEqual({ items: [] });
  });

  it("A01, A07: deferred: success, one deletion owed, settled soon after the plugin works again", async () => {
    const { node, sandbox } = await sandboxWithBrokenMiddle("deferred");

    const deleted = await sandbox.run("DEL");
    const owed = await deletions(node);
    await node.plugins.restore("alpha", "DEL");

    expect(deleted).toMatchObject({ code: 0, stdout: "" });
    expect(owed).toMatchObject([
      {
        state: "pending",
        network: "default/alpha",
        sandbox: sandbox.containerId,
        plugins: ["alpha"],
        policy: { mode: "deferred", source: "definition" },
        lastError: { code: 42 },
      },
    ]);
    await waitFor("settlement", async () => (await deletions(node)).length === 0, 3_000);
    expect(await node.plugins.held()).toEqual([]);
  });

  it("A01: deferred: survives kill -9 of the daemon", async () => {
    const { node, sandbox } = await sandboxWithBrokenMiddle("deferred");
    await sandbox.run("DEL");

    await node.daemon().kill();
    await node.plugins.restore("alpha", "DEL");
    await node.start();

    await waitFor("settlement", async () => (await node.plugins.held()).length === 0, 3_000);
    await waitFor("the end of the debt", async () => (await deletions(node)).length === 0, 1_000);
  });

  it("deferred: what is owed is listed from the first moment of the next daemon", async () => {
    const { node, sandbox } = await sandboxWithBrokenMiddle("deferred");
    await sandbox.run("DEL");

    await node.daemon().kill();
    await node.start();

    expect(await deletions(node)).toMatchObject([{ state: "pending", network: "default/alpha" }]);
  });

  it("A11: a repeated DEL after success wakes no plugin and worries nobody", async () => {
    const node = await useNode({ manifests: alphaAndBeta() });
    const sandbox = await node.sandbox({ networks: "alpha,beta" });
    await sandbox.run("ADD");
    await sandbox.run("DEL");
    const before = (await node.plugins.calls()).length;
    const logged = (await node.daemon().log()).length;

    const repeated = [await sandbox.run("DEL", { netns: "" }), await sandbox.run("DEL")];

    for (const one of repeated) expect(one).toMatchObject({ code: 0, stdout: "", stderr: "" });
    expect(await node.plugins.calls()).toHaveLength(before);
    expect((await node.daemon().log()).slice(logged)).not.toMatch(/"level":"(warn|error)"/);
  });
});
