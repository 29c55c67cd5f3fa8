import { randomBytes } from "node:crypto";
import { chmod, mkdir, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sumMetric } from "../support/metrics.ts";
import { alphaAndBeta } from "../support/networks.ts";
import { type TestNode, useNode } from "../support/test-node.ts";

const damages: Readonly<Record<string, (file: string) => Promise<void>>> = {
  "0 bytes": async (file) => await truncate(file, 0),
  "half of itself": async (file) => await truncate(file, Math.floor((await readFile(file)).length / 2)),
  "4 KiB of NUL": async (file) => await writeFile(file, Buffer.alloc(4096)),
  null: async (file) => await writeFile(file, "null"),
  "an empty array": async (file) => await writeFile(file, "[]"),
  "a directory": async (file) => {
    await rm(file);
    await mkdir(file);
  },
  "20 MiB of noise": async (file) => await writeFile(file, randomBytes(20 * 1024 * 1024)),
};

const targets: Readonly<Record<string, (node: TestNode, containerId: string) => Promise<readonly string[]>>> =
  {
    sandbox: async (node, containerId) => [join(node.stateDir, "sandboxes", `${containerId}.json`)],
    cache: async (node, containerId) => {
      const directory = join(node.cniDir, "results");
      const names = (await readdir(directory)).filter((name) => name.includes(containerId));
      return names.map((name) => join(directory, name));
    },
  };

const cases = Object.keys(targets).flatMap((target) =>
  Object.keys(damages).map((damage) => ({ target, damage })),
);

describe("DEL with damaged files", () => {
  it.each(cases)(
    "A04, A05, A06: $target replaced by $damage: every plugin is called",
    async ({ target, damage }) => {
      const node = await useNode({ manifests: alphaAndBeta() });
      const sandbox = await node.sandbox({ networks: "alpha,beta" });
      await sandbox.run("ADD");
      const files = (await targets[target]?.(node, sandbox.containerId)) ?? [];
      expect(files).toHaveLength(target === "sandbox" ? 1 : 3);
      for (const file of files) await damages[damage]?.(file);

      const deleted = await sandbox.run("DEL");

      const types = (await node.plugins.calls({ command: "DEL" })).map((call) => call.type);
      const { text } = await node.daemon().request({ path: "/metrics" });
      expect(deleted).toMatchObject({ code: 0, stdout: "" });
      expect(types).toEqual(["beta", "alpha", "primary"]);
      expect(await node.plugins.held()).toEqual([]);
      expect(await readdir(join(node.stateDir, "quarantine"))).toHaveLength(files.length);
      expect(sumMetric(text, "multus_state_corrupt_total", { kind: target })).toBe(files.length);
    },
  );

  it("A04: a record that nobody may read is used or quarantined, never taken for nothing", async () => {
    const node = await useNode({ manifests: alphaAndBeta() });
    const sandbox = await node.sandbox({ networks: "alpha,beta" });
    await sandbox.run("ADD");
    await chmod(join(node.stateDir, "sandboxes", `${sandbox.containerId}.json`), 0);

    const deleted = await sandbox.run("DEL");

    expect(deleted).toMatchObject({ code: 0, stdout: "" });
    expect(await node.plugins.held()).toEqual([]);
  });

  it("A05, A06: record and cache both gone: the pod's annotation still leads to every plugin", async () => {
    const node = await useNode({ manifests: alphaAndBeta() });
    const sandbox = await node.sandbox({ networks: "alpha,beta" });
    await sandbox.run("ADD");
    await truncate(join(node.stateDir, "sandboxes", `${sandbox.containerId}.json`), 0);
    await rm(join(node.cniDir, "results"), { recursive: true });
    await rm(join(node.cniDir, sandbox.containerId), { force: true });

    const deleted = await sandbox.run("DEL");

    expect(deleted).toMatchObject({ code: 0, stdout: "" });
    expect(await node.plugins.held()).toEqual([]);
    const calls = await node.plugins.calls({ command: "DEL" });
    expect(calls.map((call) => call.type)).toEqual(["beta", "alpha", "primary"]);
    expect(calls.filter((call) => call.stdin.includes("prevResult"))).toEqual([]);
  });

  it("A04: damage while no daemon ran: the next one starts, and DEL calls every plugin", async () => {
    const node = await useNode({ manifests: alphaAndBeta() });
    const sandbox = await node.sandbox({ networks: "alpha,beta" });
    await sandbox.run("ADD");
    await node.daemon().kill();
    await truncate(join(node.stateDir, "sandboxes", `${sandbox.containerId}.json`), 100);
    await node.start();

    const deleted = await sandbox.run("DEL");

    expect(deleted).toMatchObject({ code: 0, stdout: "" });
    expect(await node.plugins.held()).toEqual([]);
  });
});
