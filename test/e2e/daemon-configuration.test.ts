import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { dist } from "../support/dist.ts";
import { sumMetric } from "../support/metrics.ts";
import { alphaAndBeta } from "../support/networks.ts";
import { runProgram } from "../support/run-program.ts";
import { useNode } from "../support/test-node.ts";
import { waitFor } from "../support/wait-for.ts";

const environment = { PATH: process.env["PATH"] ?? "" };

describe("daemon configuration", () => {
  it("--check-config names each of five mistakes in a line of its own", async () => {
    const node = await useNode({ start: false });
    await node.configure({
      logToStderr: "yes",
      timeouts: { plugin: "a while", add: 7 },
      delErrorPolicy: "forgiving",
      shutdownGrace: 25,
    });

    const checked = await runProgram({
      program: dist.daemon,
      args: ["--check-config", "--config", node.configFile],
      env: environment,
    });

    const lines = `${checked.stdout}${checked.stderr}`.trim().split("\n");
    expect(checked.code).toBe(1);
    expect(lines).toHaveLength(5);
    for (const path of [
      "logToStderr",
      "timeouts/plugin",
      "timeouts/add",
      "delErrorPolicy",
      "shutdownGrace",
    ]) {
      expect(lines.filter((line) => line.includes(path))).toHaveLength(1);
    }
  });

  it("a good file passes --check-config", async () => {
    const node = await useNode({ start: false });

    const checked = await runProgram({
      program: dist.daemon,
      args: ["--check-config", "--config", node.configFile],
      env: environment,
    });

    expect(checked).toMatchObject({ code: 0 });
  });

  it("refuses to start on a mistake, with exit code 1", async () => {
    const node = await useNode({ start: false });
    await node.configure({ shutdownGrace: 25 });

    const started = await runProgram({
      program: dist.daemon,
      args: ["--config", node.configFile],
      env: environment,
    });

    expect(started.code).toBe(1);
    expect(started.stderr).toContain("shutdownGrace");
  });

  it("a reload with a mistake keeps the old configuration and says so in log and metric", async () => {
    const node = await useNode({ manifests: alphaAndBeta(), config: { timeouts: { plugin: "700ms" } } });
    const good = await readFile(node.configFile, "utf8");
    const failed = async () =>
      sumMetric((await node.daemon().request({ path: "/metrics" })).text, "multus_config_reloads_total");
    const before = await failed();
    await node.configure({ timeouts: { plugin: false } });

    await waitFor("the reload to be counted", async () => (await failed()) > before);
    const sandbox = await node.sandbox();
    await node.plugins.behave("primary", "ADD", { hang: true, once: true });
    const added = await sandbox.run("ADD");

    expect(added).toMatchObject({ code: 1, printed: { code: 11 } });
    expect(added.wallMs).toBeLessThan(5_000);
    expect(await node.daemon().log()).toContain("timeouts/plugin");
    await writeFile(node.configFile, good);
  });

  it("a good reload is in force for the next request", async () => {
    const node = await useNode({ manifests: alphaAndBeta() });
    const sandbox = await node.sandbox({ networks: "alpha" });
    await sandbox.run("ADD");
    await node.plugins.behave("alpha", "DEL", { code: 42 });
    const reloads = async () =>
      sumMetric((await node.daemon().request({ path: "/metrics" })).text, "multus_config_reloads_total");
    const before = await reloads();

    await node.configure({ networks: { "default/alpha": { delErrorPolicy: "strict" } } });
    await waitFor("the reload", async () => (await reloads()) > before);

    expect(await sandbox.run("DEL")).toMatchObject({ code: 1, printed: { code: 42 } });
  });
});
