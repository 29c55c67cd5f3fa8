import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeNamespace } from "../support/network-namespace.ts";
import { alphaAndBeta, network } from "../support/networks.ts";
import { afterReboot } from "../support/pretend-boot.ts";
import { type TestNode, useNode } from "../support/test-node.ts";
import type { TestSandbox } from "../support/test-sandbox.ts";
import { waitFor } from "../support/wait-for.ts";

async function attached(policy?: string): Promise<{ node: TestNode; sandbox: TestSandbox }> {
  const node = await useNode({ manifests: alphaAndBeta(policy) });
  const sandbox = await node.sandbox({ networks: "alpha,beta" });
  expect((await sandbox.run("ADD")).code).toBe(0);
  return { node, sandbox };
}

async function deletedNamespaces(node: TestNode): Promise<readonly string[]> {
  return (await node.plugins.calls({ command: "DEL" })).map((call) => call.netns);
}

async function untilNothingIsHeld(node: TestNode, timeoutMs = 10_000): Promise<void> {
  await waitFor("settlement", async () => (await node.plugins.held()).length === 0, timeoutMs);
}

/** What a runtime may send as CNI_NETNS once the sandbox's namespace has gone. */
const stalePaths: Readonly<Record<string, (node: TestNode, sandbox: TestSandbox) => Promise<string>>> = {
  nothing: async () => "",
  "the path that was": async (_node, { namespace }) => namespace.path,
  "the path of a process that has ended": async () => "/proc/4194303/ns/net",
  "a path that is a plain file now": async ({ directory }) => {
    await writeFile(join(directory, "plain"), "");
    return join(directory, "plain");
  },
  "a path that is a directory now": async ({ directory }) => directory,
};

describe("a namespace that is gone at DEL", () => {
  it.each(Object.keys(stalePaths))(
    "A16: CNI_NETNS is %s: every plugin is called, with none",
    async (what) => {
      const { node, sandbox } = await attached("strict");
      await sandbox.namespace.remove();
      const netns = (await stalePaths[what]?.(node, sandbox)) ?? "";

      const deleted = await sandbox.run("DEL", { netns });

      expect(deleted).toMatchObject({ code: 0, stdout: "" });
      expect(await deletedNamespaces(node)).toEqual(["", "", ""]);
      expect(await node.plugins.held()).toEqual([]);
    },
  );

  it("A16: a runtime that sends no namespace although there is one is believed", async () => {
    const { node, sandbox } = await attached("strict");

    expect(await sandbox.run("DEL", { netns: "" })).toMatchObject({ code: 0, stdout: "" });
    expect(await deletedNamespaces(node)).toEqual(["", "", ""]);
  });
});

/** A namespace of somebody else at the old one's path, with an interface of the same name. */
async function giveAway({ namespace }: TestSandbox): Promise<() => Promise<string>> {
  await namespace.remove();
  const other = await makeNamespace(namespace.name);
  await other.run("ip", "link", "add", "net1", "type", "veth", "peer", "name", "far");
  return async () => await other.run("ip", "-br", "link", "show", "net1");
}

describe("a namespace's path that belongs to somebody else at DEL", () => {
  it("A35: is not shown to any plugin by the runtime's DEL", async () => {
    const { node, sandbox } = await attached("strict");
    const othersLink = await giveAway(sandbox);

    expect(await sandbox.run("DEL")).toMatchObject({ code: 0, stdout: "" });
    expect(await deletedNamespaces(node)).toEqual(["", "", ""]);
    expect(await othersLink()).toContain("net1");
  });

  it("A35: is not shown to any plugin by a retry, by the next daemon's neither", async () => {
    const { node, sandbox } = await attached();
    await node.plugins.behave("alpha", "DEL", { code: 42 });
    await sandbox.run("DEL");
    const othersLink = await giveAway(sandbox);
    const before = (await node.plugins.calls({ command: "DEL" })).length;

    const retried = async (times: number) =>
      await waitFor("a retry", async () => (await deletedNamespaces(node)).length >= before + times);
    await retried(1);
    await node.daemon().kill();
    await node.start();
    await retried(2);
    await node.plugins.restore("alpha", "DEL");
    await untilNothingIsHeld(node);

    const later = (await deletedNamespaces(node)).slice(before);
    expect(later.every((netns) => netns === "")).toBe(true);
    expect(await othersLink()).toContain("net1");
  });

  it("A35: is not shown to any plugin by a DEL from the spool", async () => {
    const { node, sandbox } = await attached();
    await node.daemon().kill();
    expect((await sandbox.run("DEL")).code).toBe(0);
    const othersLink = await giveAway(sandbox);

    await node.start();
    await untilNothingIsHeld(node);

    expect(await deletedNamespaces(node)).toEqual(["", "", ""]);
    expect(await othersLink()).toContain("net1");
  });
});

/** How a daemon can be away while a pod goes. */
const absences: Readonly<Record<string, (node: TestNode) => Promise<unknown>>> = {
  "was killed": async (node) => await node.daemon().kill(),
  "was stopped": async (node) => await node.daemon().stop(),
  "stood still and was killed": async (node) => node.daemon().freeze(),
};

describe("a pod that went while no daemon was there", () => {
  it.each(Object.keys(absences))(
    "A23: whose daemon %s: every plugin is called within 10 s of the next start",
    async (what) => {
      const { node, sandbox } = await attached();
      await absences[what]?.(node);
      expect((await sandbox.run("DEL")).code).toBe(0);
      await sandbox.namespace.remove();
      await node.daemon().kill();

      await node.start();

      await untilNothingIsHeld(node);
      expect(await deletedNamespaces(node)).toEqual(["", "", ""]);
      await waitFor("nothing attached", async () => {
        return (await node.daemon().get<{ items: unknown[] }>("/v1/attachments")).items.length === 0;
      });
    },
  );
});

describe("a machine that has booted since", () => {
  it("A17: gives back what its runtime deletes, what it spooled and what was owed before", async () => {
    const node = await useNode({ manifests: { ...alphaAndBeta(), "alpha.json": network("alpha") } });
    const [asked, spooled, owed] = [
      await node.sandbox({ networks: "alpha,beta" }),
      await node.sandbox({ networks: "alpha,beta" }),
      await node.sandbox({ networks: "alpha,beta" }),
    ];
    for (const sandbox of [asked, spooled, owed]) await sandbox.run("ADD");
    await node.plugins.behave("alpha", "DEL", { code: 42 });
    expect((await owed.run("DEL")).code).toBe(0);
    await node.daemon().kill();
    expect((await spooled.run("DEL")).code).toBe(0);
    await node.plugins.restore("alpha", "DEL");
    const before = (await deletedNamespaces(node)).length;
    for (const sandbox of [asked, spooled, owed]) await sandbox.namespace.remove();
    const wrapper = await afterReboot(node.directory);

    await node.start([], wrapper);
    const deleted = await asked.run("DEL", { netns: "", wrapper });

    expect(deleted).toMatchObject({ code: 0, stdout: "" });
    await untilNothingIsHeld(node);
    await waitFor("an empty spool", async () => (await readdir(join(node.stateDir, "spool"))).length === 0);
    expect((await deletedNamespaces(node)).slice(before)).toEqual(Array(7).fill(""));
    await waitFor("nothing owed", async () => {
      return (await node.daemon().get<{ items: unknown[] }>("/v1/deletions")).items.length === 0;
    });
  });

  it("A17: trusts no namespace of the boot before, whatever stands at its path", async () => {
    const { node, sandbox } = await attached();
    await node.daemon().kill();
    const wrapper = await afterReboot(node.directory);

    await node.start([], wrapper);

    expect(await sandbox.run("DEL", { wrapper })).toMatchObject({ code: 0, stdout: "" });
    expect(await deletedNamespaces(node)).toEqual(["", "", ""]);
    expect(await node.plugins.held()).toEqual([]);
  });
});
