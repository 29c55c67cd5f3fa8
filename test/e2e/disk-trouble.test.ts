import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sumMetric } from "../support/metrics.ts";
import { alphaAndBeta } from "../support/networks.ts";
import { type PrivateMount, usePrivateMount } from "../support/private-mount.ts";
import type { SocketReply } from "../support/socket-request.ts";
import { type TestNode, useNode } from "../support/test-node.ts";
import type { TestSandbox } from "../support/test-sandbox.ts";
import { waitFor } from "../support/wait-for.ts";

interface Rig {
  readonly node: TestNode;
  readonly disk: PrivateMount;
  run(sandbox: TestSandbox, command: string): ReturnType<TestSandbox["run"]>;
}

/** A node whose state directory is a small file system of its own. */
async function useSmallDisk(size: string): Promise<Rig> {
  const node = await useNode({ manifests: alphaAndBeta(), start: false });
  await mkdir(node.stateDir);
  const disk = await usePrivateMount(node.stateDir, size);
  await node.start([], disk.wrapper);
  const run: Rig["run"] = async (sandbox, command) => await sandbox.run(command, { wrapper: disk.wrapper });
  return { node, disk, run };
}

/** What ails the disk, and how it is mended. */
const troubles = {
  full: { code: "ENOSPC", begin: (disk) => disk.fill(), end: (disk) => disk.free() },
  "read-only": { code: "EROFS", begin: (disk) => disk.makeReadOnly(), end: (disk) => disk.makeWritable() },
} as const satisfies Record<
  string,
  { code: string; begin(disk: PrivateMount): Promise<void>; end(disk: PrivateMount): Promise<void> }
>;

/** 24 MiB hold the reserve of 4 MiB, from which a DEL is written down; 8 MiB do not. */
const cases = [
  { trouble: "full", size: "24m", canWriteDelete: true },
  { trouble: "full", size: "8m", canWriteDelete: false },
  { trouble: "read-only", size: "24m", canWriteDelete: false },
] as const;

async function notReadyBecause(node: TestNode): Promise<string> {
  const { status, text } = await node.daemon().request({ path: "/readyz" });
  return status === 503 ? text : "";
}

async function addOverWire(node: TestNode, sandbox: TestSandbox): Promise<SocketReply> {
  const { containerId, netns = "", args = "", stdin } = sandbox.call("ADD");
  const env = { CNI_COMMAND: "ADD", CNI_CONTAINERID: containerId, CNI_NETNS: netns, CNI_ARGS: args };
  const body = { env: { ...env, CNI_IFNAME: "eth0" }, config: Buffer.from(stdin).toString("base64") };
  return await node.daemon().request({ method: "POST", path: "/cni", body: JSON.stringify(body) });
}

async function corruptFiles({ node, disk }: Rig): Promise<number> {
  const { text } = await node.daemon().request({ path: "/metrics" });
  const counted = sumMetric(text, "multus_state_corrupt_total");
  return counted + (await readdir(join(disk.path, "quarantine"))).length;
}

describe.each(cases)(
  "state directory on a $trouble file system of $size",
  ({ trouble, size, canWriteDelete }) => {
    const { code, begin, end } = troubles[trouble];

    it("refuses an ADD before anything is attached, says so in /readyz, and recovers by itself", async () => {
      const rig = await useSmallDisk(size);
      const { node, disk } = rig;
      const sandbox = await node.sandbox({ networks: "alpha,beta" });
      await begin(disk);

      const refused = await rig.run(sandbox, "ADD");
      const overWire = await addOverWire(node, sandbox);
      await waitFor("/readyz to say why", async () => (await notReadyBecause(node)).includes(code));
      const health = await node.daemon().request({ path: "/healthz" });
      await end(disk);
      await waitFor("recovery", async () => (await notReadyBecause(node)) === "");

      expect(refused).toMatchObject({ code: 1, printed: { code: 5 } });
      expect(refused.printed?.msg).toMatch(/full|read-only/);
      expect(overWire.status).toBe(507);
      expect(overWire.headers["x-multusd-failure"]).toBe("storage-failed");
      expect(await node.plugins.calls()).toEqual([]);
      expect(health.status).toBe(200);
      expect((await rig.run(sandbox, "ADD")).code).toBe(0);
      expect(await rig.run(sandbox, "DEL")).toMatchObject({ code: 0, stdout: "" });
      expect(await node.plugins.held()).toEqual([]);
      expect(await corruptFiles(rig)).toBe(0);
    });

    it("serves DEL: every plugin is run, and no answer promises what is not on disk", async () => {
      const rig = await useSmallDisk(size);
      const { node, disk } = rig;
      const sandbox = await node.sandbox({ networks: "alpha,beta" });
      await rig.run(sandbox, "ADD");
      await begin(disk);

      const deleted = await rig.run(sandbox, "DEL");

      const types = (await node.plugins.calls({ command: "DEL" })).map((call) => call.type);
      expect(types).toEqual(["beta", "alpha", "primary"]);
      expect(await node.plugins.held()).toEqual([]);
      if (deleted.code !== 0) expect(deleted).toMatchObject({ code: 1, printed: { code: 5 } });
      if (canWriteDelete) expect(deleted).toMatchObject({ code: 0, stdout: "" });
      await end(disk);
      expect(await rig.run(sandbox, "DEL")).toMatchObject({ code: 0, stdout: "" });
      await node.daemon().kill();
      await node.start([], disk.wrapper);
      expect(await node.daemon().get("/v1/attachments")).toEqual({ items: [] });
      expect(await corruptFiles(rig)).toBe(0);
    });

    it("a failed deferred DEL is owed on disk or told to the runtime, never forgotten", async () => {
      const rig = await useSmallDisk(size);
      const { node, disk } = rig;
      const sandbox = await node.sandbox({ networks: "alpha,beta" });
      await rig.run(sandbox, "ADD");
      await node.plugins.behave("alpha", "DEL", { code: 42 });
      await begin(disk);

      const deleted = await rig.run(sandbox, "DEL");
      const owed = await readdir(join(disk.path, "deletions"));
      await node.daemon().kill();
      await end(disk);
      await node.plugins.restore("alpha", "DEL");
      await node.start([], disk.wrapper);

      if (deleted.code === 0) expect(owed).toHaveLength(1);
      else expect((await rig.run(sandbox, "DEL")).code).toBe(0);
      await waitFor("settlement", async () => (await node.plugins.held()).length === 0);
      expect(await corruptFiles(rig)).toBe(0);
    });
  },
);
