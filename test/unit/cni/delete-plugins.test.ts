import { describe, expect, it } from "vitest";
import { deletePlugins, type NetworkList, parseNetworkList, parseResult } from "../../../src/cni/index.ts";
import { fails, noLimits, ScriptedPlugins } from "./scripted-plugins.ts";

function listOf(more: Record<string, unknown> = {}): NetworkList {
  return parseNetworkList(ScriptedPlugins.listText(more));
}

const prevResult = parseResult('{"cniVersion":"0.4.0","ips":[{"version":"4","address":"10.0.0.1/8"}]}');

describe("DEL of the whole chain", () => {
  it("runs every plugin, last first, whatever fails, and reports each", async () => {
    const plugins = await ScriptedPlugins.create({
      "p3 DEL": fails(5, "io"),
      "p2 DEL": fails(42, "busy", "d"),
    });
    const report = await deletePlugins(plugins.runtime(), listOf(), plugins.attachment(), {
      limits: noLimits,
    });
    expect(plugins.order).toEqual(["p3 DEL", "p2 DEL", "p1 DEL"]);
    expect(report.outcomes).toMatchObject([
      { index: 2, plugin: "p3", kind: "failed", error: { code: 5, message: "io", fromPlugin: true } },
      { index: 1, plugin: "p2", kind: "failed", error: { code: 42, message: "busy", details: "d" } },
      { index: 0, plugin: "p1", kind: "deleted" },
    ]);
    expect(report).not.toHaveProperty("prevResultProblem");
  });

  it("runs only what is owed, and tells those how many are left", async () => {
    const left: number[] = [];
    const plugins = await ScriptedPlugins.create();
    const limits = {
      pluginTimeoutMs: (pluginsLeft: number) => {
        left.push(pluginsLeft);
        return 1000;
      },
    };
    const report = await deletePlugins(plugins.runtime(), listOf(), plugins.attachment(), {
      only: [0, 2, 7],
      limits,
    });
    expect(plugins.order).toEqual(["p3 DEL", "p1 DEL"]);
    expect(report.outcomes.map(({ index }) => index)).toEqual([2, 0]);
    expect(left).toEqual([2, 1]);
  });

  it("gives prevResult in the list's version, from 0.4.0 on", async () => {
    const plugins = await ScriptedPlugins.create();
    const options = { prevResult, limits: noLimits };
    await deletePlugins(plugins.runtime(), listOf(), plugins.attachment(), options);
    expect(plugins.stdinOf("p1 DEL")?.["prevResult"]).toEqual({
      cniVersion: "1.1.0",
      ips: [{ address: "10.0.0.1/8" }],
    });
    const old = await ScriptedPlugins.create();
    await deletePlugins(old.runtime(), listOf({ cniVersion: "0.3.1" }), old.attachment(), options);
    expect(old.stdinOf("p1 DEL")).not.toHaveProperty("prevResult");
  });

  it("runs without a prevResult that cannot be converted, and says so", async () => {
    const plugins = await ScriptedPlugins.create();
    const options = { prevResult, limits: noLimits };
    const report = await deletePlugins(
      plugins.runtime(),
      listOf({ cniVersion: "9.0.0" }),
      plugins.attachment(),
      options,
    );
    expect(report.prevResultProblem).toContain("no converter for CNI result version 0.4.0 to 9.0.0");
    expect(report.outcomes.every(({ kind }) => kind === "deleted")).toBe(true);
  });

  it.each(["banana", ""])(
    "runs for the version %j too: nothing may keep a DEL from running",
    async (cniVersion) => {
      const plugins = await ScriptedPlugins.create();
      const list = listOf({ cniVersion, name: "../odd name" });
      await deletePlugins(plugins.runtime(), list, plugins.attachment({ containerId: "a b" }), {
        limits: noLimits,
      });
      expect(plugins.order).toEqual(["p3 DEL", "p2 DEL", "p1 DEL"]);
    },
  );

  it("reports a missing binary and an argument that is no JSON as failures of that plugin alone", async () => {
    const plugins = await ScriptedPlugins.create({}, ["p3"]);
    const list = parseNetworkList(ScriptedPlugins.listText({}, [{}, { capabilities: { mac: true } }]));
    const attachment = plugins.attachment({ capabilityArgs: { mac: "{" } });
    const report = await deletePlugins(plugins.runtime(), list, attachment, { limits: noLimits });
    expect(report.outcomes.map(({ kind }) => kind)).toEqual(["failed", "failed", "deleted"]);
    expect(report.outcomes[0]?.error?.name).toBe("PluginNotFoundError");
  });

  it("does not try what there is no time for, or what comes after a cancellation", async () => {
    const late = await ScriptedPlugins.create();
    const limits = { pluginTimeoutMs: (left: number) => (left > 2 ? 100 : -1) };
    const report = await deletePlugins(late.runtime(), listOf(), late.attachment(), { limits });
    expect(report.outcomes.map(({ kind }) => kind)).toEqual(["deleted", "not-tried", "not-tried"]);

    const controller = new AbortController();
    const cancelled = await ScriptedPlugins.create({
      "p3 DEL": () => {
        controller.abort();
        return {
          kind: "cancelled",
          output: { stdout: "", stdoutTruncated: false, stderr: "", wallMs: 1, maxRssKib: 1 },
        };
      },
    });
    const options = { limits: { ...noLimits, signal: controller.signal } };
    const second = await deletePlugins(cancelled.runtime(), listOf(), cancelled.attachment(), options);
    expect(second.outcomes.map(({ kind }) => kind)).toEqual(["failed", "not-tried", "not-tried"]);
  });

  it("does not hold it against a plugin that what ran it was lost, for only the plugin's own failure is one", async () => {
    const lost = { kind: "executor-lost", message: "arm died" } as const;
    const plugins = await ScriptedPlugins.create({ "p2 DEL": () => lost });
    const report = await deletePlugins(plugins.runtime(), listOf(), plugins.attachment(), {
      limits: noLimits,
    });
    expect(report.outcomes).toMatchObject([
      { plugin: "p3", kind: "deleted" },
      { plugin: "p2", kind: "not-tried", error: { message: expect.stringContaining("arm died") } },
      { plugin: "p1", kind: "deleted" },
    ]);
  });

  it("reports even a broken executor as a failure", async () => {
    const plugins = await ScriptedPlugins.create({
      "p2 DEL": () => {
        throw new Error("bug");
      },
    });
    const report = await deletePlugins(plugins.runtime(), listOf(), plugins.attachment(), {
      limits: noLimits,
    });
    expect(report.outcomes[1]).toMatchObject({ kind: "failed", error: { code: 999, message: "bug" } });
  });
});
