import { readFile, stat } from "node:fs/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { dist } from "../support/dist.ts";
import { alphaAndBeta } from "../support/networks.ts";
import { childrenOf, processesBelow } from "../support/processes.ts";
import { runProgram, startProgram } from "../support/run-program.ts";
import { requestSocket } from "../support/socket-request.ts";
import { useNode } from "../support/test-node.ts";
import { waitFor } from "../support/wait-for.ts";

const environment = { PATH: process.env["PATH"] ?? "" };

async function residentMb(pid: number, field: string): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, "utf8");
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(text)?.[1] ?? 0) / 1024;
}

describe("life of the daemon", () => {
  it("serves only root over a socket of its own", async () => {
    const node = await useNode();

    const socket = await stat(node.socket);
    const directory = await stat(node.socket.slice(0, node.socket.lastIndexOf("/")));

    expect(socket.mode & 0o777).toBe(0o600);
    expect(directory.mode & 0o777).toBe(0o700);
  });

  it("is not ready before it has begun to work, for a predecessor may hold the state for long", async () => {
    const node = await useNode();
    node.daemon().freeze();
    const waiting = startProgram({
      program: dist.daemon,
      args: ["--config", node.configFile, "--takeover"],
      env: environment,
    });
    onTestFinished(async () => {
      waiting.kill("SIGKILL");
      await waiting.ended;
    });
    const probe = async (path: string) => await requestSocket(node.socket, { path, timeoutMs: 500 });
    await waitFor("the new daemon's socket", async () => (await probe("/healthz")).status === 200);

    const ready = await probe("/readyz");

    expect(ready.status).toBe(503);
    expect(JSON.parse(ready.text)).toMatchObject({ items: [{ what: "start" }] });
  });

  it("a second daemon on the same state exits 2 and names the first one's pid", async () => {
    const node = await useNode();

    const second = await runProgram({
      program: dist.daemon,
      args: ["--config", node.configFile],
      env: environment,
    });

    expect(second.code).toBe(2);
    expect(second.stderr).toContain(String(node.daemon().pid));
    expect((await node.daemon().request({ path: "/healthz" })).status).toBe(200);
  });

  it("ends with 0 on SIGTERM and leaves neither socket nor child", async () => {
    const node = await useNode();
    const children = await childrenOf(node.daemon().pid);

    const code = await node.daemon().stop();

    expect(children.length).toBeGreaterThan(0);
    expect(code).toBe(0);
    await expect(stat(node.socket)).rejects.toMatchObject({ code: "ENOENT" });
    for (const child of children)
      await expect(stat(`/proc/${child}`)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("finishes a running ADD before it stops", async () => {
    const node = await useNode({ manifests: alphaAndBeta() });
    const sandbox = await node.sandbox({ networks: "alpha" });
    await node.plugins.behave("alpha", "ADD", { gate: "go" });
    const adding = sandbox.begin("ADD");
    await waitFor("alpha's ADD", async () => (await node.plugins.calls({ type: "alpha" })).length > 0);

    const stopping = node.daemon().stop();
    await waitFor("it to be not ready", async () => {
      const { status } = await node.daemon().request({ path: "/readyz" });
      return status === 503;
    });
    await node.plugins.open("go");

    expect((await adding.ended).code).toBe(0);
    expect(await stopping).toBe(0);
  });

  it("keeps what is attached over a restart", async () => {
    const node = await useNode({ manifests: alphaAndBeta() });
    const sandbox = await node.sandbox({ networks: "alpha,beta" });
    await sandbox.run("ADD");
    const before = await node.daemon().get<{ items: readonly unknown[] }>("/v1/attachments");

    await node.daemon().stop();
    const daemon = await node.start();

    expect(before.items).toHaveLength(3);
    expect(await daemon.get("/v1/attachments")).toEqual(before);
    expect(await sandbox.run("DEL")).toMatchObject({ code: 0 });
    expect(await node.plugins.held()).toEqual([]);
  });

  it("goes on when its native arm dies", async () => {
    const node = await useNode({ manifests: alphaAndBeta() });
    const sandbox = await node.sandbox({ networks: "alpha" });
    await node.plugins.behave("alpha", "ADD", { hang: true, once: true });
    const adding = sandbox.begin("ADD");
    await waitFor("the plugin to hang", async () => (await processesBelow(node.plugins.binDir)).length === 2);
    const [arm = 0] = await childrenOf(node.daemon().pid);

    process.kill(arm, "SIGKILL");
    const added = await adding.ended;

    expect(added.code).toBe(1);
    await waitFor(
      "the plugin's end",
      async () => (await processesBelow(node.plugins.binDir)).length === 0,
      2_000,
    );
    expect(await sandbox.run("DEL")).toMatchObject({ code: 0 });
    expect((await sandbox.run("ADD")).code).toBe(0);
  });

  it("owes a DEL that its native arm's death cut off, lenient or not: the plugin has refused nothing", async () => {
    const node = await useNode({ manifests: alphaAndBeta("lenient") });
    const sandbox = await node.sandbox({ networks: "alpha" });
    await sandbox.run("ADD");
    await node.plugins.behave("alpha", "DEL", { gate: "go" });
    const deleting = sandbox.begin("DEL");
    const isRunning = async () => (await node.plugins.calls({ type: "alpha", command: "DEL" })).length > 0;
    await waitFor("alpha's DEL", isRunning);
    const [arm = 0] = await childrenOf(node.daemon().pid);

    process.kill(arm, "SIGKILL");
    const deleted = await deleting.ended;
    await node.plugins.open("go");

    expect(deleted).toMatchObject({ code: 0, stdout: "" });
    await waitFor("settlement", async () => (await node.plugins.held()).length === 0);
  });

  it("takes over from a daemon that runs, without a moment when DEL fails", async () => {
    const node = await useNode({ manifests: alphaAndBeta() });
    const sandbox = await node.sandbox({ networks: "alpha" });
    await sandbox.run("ADD");
    const first = node.daemon();

    await node.start(["--takeover"]);

    expect(await first.ended).toBe(0);
    expect(await sandbox.run("DEL")).toMatchObject({ code: 0, stdout: "" });
    expect(await node.plugins.held()).toEqual([]);
  });

  it("is small at rest", async () => {
    const node = await useNode({ manifests: alphaAndBeta() });
    const pids = [node.daemon().pid, ...(await childrenOf(node.daemon().pid))];

    const sum = async (field: string) =>
      (await Promise.all(pids.map((pid) => residentMb(pid, field)))).reduce((total, one) => total + one, 0);

    // Bounds of sanity; `make bench` measures against the contract on a quiet machine.
    expect(await sum("Rss")).toBeLessThan(160);
    expect(await sum("Anonymous")).toBeLessThan(90);
    expect(node.daemon().readyAfterMs).toBeLessThan(5_000);
  });
});
