import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sumMetric } from "../support/metrics.ts";
import { alphaAndBeta } from "../support/networks.ts";
import { useReadOnly } from "../support/read-only-mount.ts";
import { type TestNode, useNode } from "../support/test-node.ts";
import { waitFor } from "../support/wait-for.ts";

const decisionLimitMs = 1_500;

async function spooled(node: TestNode): Promise<readonly string[]> {
  const names = await readdir(join(node.stateDir, "spool")).catch(() => []);
  return names.filter((name) => !name.startsWith("."));
}

/** What a node can be like when its daemon does not take a DEL. */
const absences: Readonly<Record<string, (node: TestNode) => Promise<void>>> = {
  "killed daemon": async (node) => await node.daemon().kill(),
  "stopped daemon": async (node) => {
    node.daemon().freeze();
  },
  "directory where its socket was": async (node) => {
    await node.daemon().kill();
    await rm(node.socket);
    await mkdir(node.socket);
  },
};

describe.each(Object.keys(absences))("DEL with a %s", (absence) => {
  it.each(["deferred", "lenient"])(
    "A26: %s: success within 1.5 s, with one file in the spool",
    async (policy) => {
      const node = await useNode({ manifests: alphaAndBeta() });
      const sandbox = await node.sandbox({ networks: "alpha,beta" });
      await sandbox.run("ADD");
      await absences[absence]?.(node);

      const deleted = await sandbox.run("DEL", { stdin: { delErrorPolicy: policy } });
      const repeated = await sandbox.run("DEL", { stdin: { delErrorPolicy: policy } });

      expect(deleted).toMatchObject({ code: 0, stdout: "" });
      expect(repeated).toMatchObject({ code: 0, stdout: "" });
      expect(deleted.wallMs).toBeLessThan(decisionLimitMs);
      expect(await spooled(node)).toEqual([`${sandbox.containerId}@eth0.json`]);
    },
  );

  it("A26: strict: an error of code 11 within 1.5 s, and nothing in the spool", async () => {
    const node = await useNode({ manifests: alphaAndBeta() });
    const sandbox = await node.sandbox({ networks: "alpha,beta" });
    await sandbox.run("ADD");
    await absences[absence]?.(node);

    const deleted = await sandbox.run("DEL", { stdin: { delErrorPolicy: "strict" } });

    expect(deleted).toMatchObject({ code: 1, printed: { code: 11 } });
    expect(deleted.wallMs).toBeLessThan(decisionLimitMs);
    expect(await spooled(node)).toEqual([]);
  });
});

describe("DEL without a daemon", () => {
  it("a strict network of the sandbox makes the whole DEL strict", async () => {
    const node = await useNode({ manifests: alphaAndBeta("strict") });
    const sandbox = await node.sandbox({ networks: "alpha" });
    await sandbox.run("ADD");
    await node.daemon().kill();

    const deleted = await sandbox.run("DEL");

    expect(deleted).toMatchObject({ code: 1, printed: { code: 11 } });
    expect(deleted.stdout).not.toMatch(/not found|no such file or directory/i);
    expect(await spooled(node)).toEqual([]);
  });

  it("a spool that cannot be written is an error, never a silent success", async () => {
    const node = await useNode({ manifests: alphaAndBeta() });
    const sandbox = await node.sandbox({ networks: "alpha" });
    await sandbox.run("ADD");
    await node.daemon().kill();
    await mkdir(join(node.stateDir, "spool"), { recursive: true });
    await useReadOnly(join(node.stateDir, "spool"));

    const deleted = await sandbox.run("DEL");

    expect(deleted.code).toBe(1);
    expect(deleted.printed).toMatchObject({ code: expect.any(Number), msg: expect.any(String) });
    expect(await node.plugins.held()).toHaveLength(2);
  });

  it("A23: is done after the daemon's next start", async () => {
    const node = await useNode({ manifests: alphaAndBeta() });
    const sandbox = await node.sandbox({ networks: "alpha,beta" });
    await sandbox.run("ADD");
    await node.daemon().kill();
    expect((await sandbox.run("DEL")).code).toBe(0);

    const daemon = await node.start();

    await waitFor("settlement", async () => (await node.plugins.held()).length === 0);
    await waitFor("an empty spool", async () => (await spooled(node)).length === 0);
    await waitFor("its count", async () => {
      const { text } = await daemon.request({ path: "/metrics" });
      return sumMetric(text, "multus_spooled_deletions_total") === 1;
    });
    expect(await daemon.get("/v1/attachments")).toEqual({ items: [] });
  });

  it("A29: what was spooled while the daemon stood still is done once it goes on", async () => {
    const node = await useNode({ manifests: alphaAndBeta() });
    const sandbox = await node.sandbox({ networks: "alpha,beta" });
    await sandbox.run("ADD");
    node.daemon().freeze();
    expect((await sandbox.run("DEL")).code).toBe(0);

    node.daemon().thaw();

    await waitFor("settlement", async () => (await node.plugins.held()).length === 0);
    await waitFor("an empty spool", async () => (await spooled(node)).length === 0);
    const types = (await node.plugins.calls({ command: "DEL" })).map((call) => call.type);
    expect(types).toEqual(["beta", "alpha", "primary"]);
    const text = await waitFor("its count", async () => {
      const metrics = await node.daemon().request({ path: "/metrics" });
      return sumMetric(metrics.text, "multus_spooled_deletions_total") === 1 && metrics.text;
    });
    expect(sumMetric(text, "multus_deletions_oldest_age_seconds")).toBe(0);
  });

  it("A21: is not applied to a sandbox that was created again under the same ID since", async () => {
    const node = await useNode({ manifests: alphaAndBeta() });
    const sandbox = await node.sandbox({ networks: "alpha,beta" });
    await sandbox.run("ADD");
    await node.daemon().kill();
    await sandbox.run("DEL");
    const entry = join(node.stateDir, "spool", `${sandbox.containerId}@eth0.json`);
    const late = await readFile(entry);
    await rm(entry);
    await node.start();
    await sandbox.run("DEL");
    expect((await sandbox.run("ADD")).code).toBe(0);
    const before = (await node.plugins.calls({ command: "DEL" })).length;

    await writeFile(entry, late);

    await waitFor("an empty spool", async () => (await spooled(node)).length === 0);
    expect(await node.plugins.calls({ command: "DEL" })).toHaveLength(before);
    expect(await node.plugins.held()).toHaveLength(3);
  });

  it("ADD waits for a daemon that comes", async () => {
    const node = await useNode({ manifests: alphaAndBeta(), start: false });
    const sandbox = await node.sandbox({ networks: "alpha" });
    const adding = sandbox.begin("ADD");

    await node.start();

    expect((await adding.ended).code).toBe(0);
  });

  it("ADD gives up when none comes", async () => {
    const node = await useNode({ start: false });
    const sandbox = await node.sandbox();

    const added = await sandbox.run("ADD", { stdin: { shim: { waitForDaemon: "300ms" } } });

    expect(added).toMatchObject({ code: 1, printed: { code: 11 } });
    expect(added.wallMs).toBeLessThan(1_500);
  });
});
