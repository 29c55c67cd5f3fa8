import { chmod, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { definitionManifest, podManifest } from "../support/manifests.ts";
import { alphaAndBeta, network } from "../support/networks.ts";
import type { Behaviour } from "../support/recording-plugins.ts";
import { type TestNode, useNode } from "../support/test-node.ts";
import type { TestSandbox } from "../support/test-sandbox.ts";
import { waitFor } from "../support/wait-for.ts";

async function deletedTypes(node: TestNode): Promise<readonly string[]> {
  return (await node.plugins.calls({ command: "DEL" })).map((call) => call.type);
}

async function owed(node: TestNode): Promise<readonly unknown[]> {
  return (await node.daemon().get<{ items: unknown[] }>("/v1/deletions")).items;
}

async function untilNothingIsHeld(node: TestNode): Promise<void> {
  await waitFor("settlement", async () => (await node.plugins.held()).length === 0);
  await waitFor("the end of the debts", async () => (await owed(node)).length === 0);
}

interface Outage {
  begin(node: TestNode): Promise<void>;
  end(node: TestNode): Promise<void>;
}

function brokenBy(behaviour: Behaviour): Outage {
  return {
    begin: async ({ plugins }) => await plugins.behave("alpha", "DEL", behaviour),
    end: async ({ plugins }) => await plugins.restore("alpha", "DEL"),
  };
}

const binary = ({ plugins }: TestNode) => join(plugins.binDir, "alpha");

/** How a plugin can be broken for a while. */
const outages: Readonly<Record<string, Outage>> = {
  "its binary away": {
    begin: async (node) => await rename(binary(node), `${binary(node)}.off`),
    end: async (node) => await rename(`${binary(node)}.off`, binary(node)),
  },
  "its binary not executable": {
    begin: async (node) => await chmod(binary(node), 0o644),
    end: async (node) => await chmod(binary(node), 0o755),
  },
  "an error object": brokenBy({ code: 101, msg: "the store does not answer" }),
  "an exit without a word": brokenBy({ exit: 3, bare: true }),
  "output that is no JSON": brokenBy({ exit: 1, stdout: "panic: oops" }),
  "a signal": brokenBy({ signal: 11 }),
};

describe("a plugin that fails its DEL for a while", () => {
  it.each(Object.keys(outages))(
    "A03: with %s, what it holds is kept by record and debt, and given back as soon as it works again",
    async (what) => {
      const later = definitionManifest({
        name: "later",
        config: { cniVersion: "1.0.0", name: "later-net", plugins: [{ type: "alpha" }] },
      });
      const node = await useNode({
        manifests: { "alpha.json": network("alpha", { policy: "strict" }), "later.json": later },
      });
      const sandbox = await node.sandbox({ networks: "alpha,later" });
      await sandbox.run("ADD");
      await outages[what]?.begin(node);

      const refused = await sandbox.run("DEL");
      const kept = await node.daemon().get<{ items: unknown[] }>("/v1/attachments");
      const owedMeanwhile = await owed(node);
      await outages[what]?.end(node);
      const repeated = await sandbox.run("DEL");

      expect(refused).toMatchObject({ code: 1, printed: { code: expect.any(Number) } });
      expect(refused.printed?.msg).toContain("default/alpha");
      expect(refused.printed?.msg).not.toContain("default/later");
      expect(kept.items).toMatchObject([{ network: "default/alpha" }]);
      expect(owedMeanwhile).toMatchObject([{ network: "default/later", state: "pending" }]);
      expect(repeated).toMatchObject({ code: 0, stdout: "" });
      await untilNothingIsHeld(node);
      expect((await deletedTypes(node)).filter((type) => type === "primary")).toHaveLength(1);
    },
  );
});

const chain = ["alpha", "beta", "gamma"];

describe("a chain of plugins", () => {
  it.each(chain)("A08: goes on when %s fails its DEL, and only that one is called again", async (broken) => {
    const node = await useNode({ manifests: { "chain.json": network("chain", { plugins: chain }) } });
    const sandbox = await node.sandbox({ networks: "chain" });
    await sandbox.run("ADD");
    await node.plugins.behave(broken, "DEL", { code: 19, msg: "no such device", once: true });

    const deleted = await sandbox.run("DEL");
    await untilNothingIsHeld(node);

    expect(deleted).toMatchObject({ code: 0, stdout: "" });
    expect(await deletedTypes(node)).toEqual(["gamma", "beta", "alpha", "primary", broken]);
  });
});

/** What an operator, or time, can do to a pod's networks while the pod lives. */
const changes: Readonly<Record<string, (node: TestNode, sandbox: TestSandbox) => Promise<void>>> = {
  "a definition names another plugin": async (node) =>
    await node.manifest("alpha.json", network("alpha", { plugins: ["beta"] })),
  "a definition is broken": async (node) =>
    await node.manifest("alpha.json", definitionManifest({ name: "alpha", config: "{" })),
  "the definitions are gone": async (node) => await removeManifests(node, "alpha.json", "beta.json"),
  "the pod asks for other networks": async (node, { pod }) =>
    await node.manifest(
      `pod-default-${pod}.json`,
      podManifest({ name: pod, uid: `uid-${pod}`, networks: "beta" }),
    ),
  "the pod is gone": async (node, { pod }) => await removeManifests(node, `pod-default-${pod}.json`),
  "the whole configuration is gone": async (node) => {
    await rm(node.manifestDir, { recursive: true });
    await rm(node.confDir, { recursive: true });
  },
};

async function removeManifests(node: TestNode, ...names: readonly string[]): Promise<void> {
  for (const name of names) await rm(join(node.manifestDir, name));
}

describe("a network that changes between ADD and DEL", () => {
  it.each(Object.keys(changes))("A09: where %s, DEL is what ADD was", async (what) => {
    const keys = { keys: { version: "of the ADD" } };
    const node = await useNode({ manifests: { ...alphaAndBeta(), "alpha.json": network("alpha", keys) } });
    const sandbox = await node.sandbox({ networks: "alpha,beta" });
    await sandbox.run("ADD");
    await changes[what]?.(node, sandbox);

    const deleted = await sandbox.run("DEL");

    expect(deleted).toMatchObject({ code: 0, stdout: "" });
    expect(await deletedTypes(node)).toEqual(["beta", "alpha", "primary"]);
    for (const type of ["primary", "alpha", "beta"]) {
      const [added] = await node.plugins.calls({ type, command: "ADD" });
      const [removed] = await node.plugins.calls({ type, command: "DEL" });
      const { prevResult: _given, ...configuration } = JSON.parse(removed?.stdin ?? "{}");
      expect(configuration).toEqual(JSON.parse(added?.stdin ?? "null"));
    }
    expect(await node.plugins.held()).toEqual([]);
  });
});
