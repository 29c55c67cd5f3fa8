import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type CombinedError,
  collectGarbageNetworkList,
  createResultCache,
  type NetworkList,
  parseNetworkList,
  parseResult,
  type ResultCache,
  writeFileDurably,
} from "../../../src/cni/index.ts";
import { fails, noLimits, ScriptedPlugins } from "./scripted-plugins.ts";
import { makeTemporaryDirectory } from "./temporary-directory.ts";

function listOf(more: Record<string, unknown> = {}): NetworkList {
  return parseNetworkList(ScriptedPlugins.listText(more, [{}, { capabilities: { mac: true } }]));
}

async function makeCache(): Promise<{ readonly cache: ResultCache; readonly directory: string }> {
  const directory = await makeTemporaryDirectory();
  return { directory, cache: createResultCache(directory, writeFileDurably) };
}

async function remember(cache: ResultCache, networkName: string, containerId: string): Promise<void> {
  await cache.write({
    networkName,
    containerId,
    ifName: "eth0",
    netns: `/ns/${containerId}`,
    config: "{}",
    args: [["K", containerId]],
    capabilityArgs: { mac: '"aa"' },
    result: parseResult('{"cniVersion":"1.1.0"}'),
  });
}

const valid = [{ containerId: "live", ifName: "eth0" }];
const options = { deleteStale: true };

describe("GC of a list", () => {
  it("case 57: does nothing where it is switched off", async () => {
    const { cache } = await makeCache();
    await remember(cache, "net", "stale");
    const plugins = await ScriptedPlugins.create();
    const search = { searchPath: [plugins.directory] };
    const runtime = plugins.runtime({ cache });
    await collectGarbageNetworkList(runtime, listOf({ disableGC: true }), [], search, noLimits, options);
    expect(plugins.runs).toEqual([]);
  });

  it("case 57: below 1.1.0 is a DEL of what is cached and not valid", async () => {
    const { cache } = await makeCache();
    await remember(cache, "net", "live");
    await remember(cache, "net", "stale");
    const plugins = await ScriptedPlugins.create();
    const search = { searchPath: [plugins.directory] };
    const list = listOf({ cniVersion: "1.0.0" });
    await collectGarbageNetworkList(plugins.runtime({ cache }), list, valid, search, noLimits, options);
    expect(plugins.order).toEqual(["p3 DEL", "p2 DEL", "p1 DEL"]);
    expect(plugins.runs[0]?.invocation.env["CNI_CONTAINERID"]).toBe("stale");
  });

  it("case 58: deletes stale attachments with what they were added with, then runs GC in list order", async () => {
    const { cache } = await makeCache();
    await remember(cache, "net", "stale");
    const plugins = await ScriptedPlugins.create();
    const search = { searchPath: [plugins.directory] };
    await collectGarbageNetworkList(plugins.runtime({ cache }), listOf(), valid, search, noLimits, options);
    expect(plugins.order).toEqual(["p3 DEL", "p2 DEL", "p1 DEL", "p1 GC", "p2 GC", "p3 GC"]);
    expect(plugins.runs[0]?.invocation.env).toMatchObject({ CNI_NETNS: "/ns/stale", CNI_ARGS: "K=stale" });
    expect(plugins.stdinOf("p2 DEL")?.["runtimeConfig"]).toEqual({ mac: "aa" });
    expect(plugins.stdinOf("p2 GC")).toEqual({
      type: "p2",
      cniVersion: "1.1.0",
      name: "net",
      "cni.dev/valid-attachments": [{ containerID: "live", ifname: "eth0" }],
      "cni.dev/attachments": [{ containerID: "live", ifname: "eth0" }],
    });
    expect((await cache.list()).records).toEqual([]);
  });

  it("case 58: deletes a stale attachment whose result nobody can use any more, without a prevResult", async () => {
    const { cache, directory } = await makeCache();
    await remember(cache, "net", "stale");
    const file = join(directory, "results", "net-stale-eth0");
    const record = JSON.parse(await readFile(file, "utf8")) as object;
    await writeFile(file, JSON.stringify({ ...record, result: { cniVersion: "9.0.0" } }));
    const plugins = await ScriptedPlugins.create();
    const search = { searchPath: [plugins.directory] };
    await collectGarbageNetworkList(plugins.runtime({ cache }), listOf(), valid, search, noLimits, options);
    expect(plugins.order.slice(0, 3)).toEqual(["p3 DEL", "p2 DEL", "p1 DEL"]);
    expect(plugins.stdinOf("p3 DEL")).not.toHaveProperty("prevResult");
    expect(await cache.read("net", "stale", "eth0")).toEqual({ kind: "missing" });
  });

  it("case 58: sends an empty list where nothing is valid", async () => {
    const plugins = await ScriptedPlugins.create();
    const search = { searchPath: [plugins.directory] };
    await collectGarbageNetworkList(plugins.runtime(), listOf(), [], search, noLimits, {
      deleteStale: false,
    });
    expect(plugins.stdinOf("p1 GC")?.["cni.dev/valid-attachments"]).toEqual([]);
  });

  it("case 59: tries everything, reports every failure, and touches no other network", async () => {
    const { cache } = await makeCache();
    await remember(cache, "net", "stale1");
    await remember(cache, "net", "stale2");
    await remember(cache, "other", "stale1");
    const plugins = await ScriptedPlugins.create({
      "p3 DEL": ({ env }) =>
        env["CNI_CONTAINERID"] === "stale1" ? fails(42, "busy") : fails(3, "unknown container"),
      "p2 GC": fails(11, "later"),
    });
    const search = { searchPath: [plugins.directory] };
    const runtime = plugins.runtime({ cache });
    const collecting = collectGarbageNetworkList(runtime, listOf(), valid, search, noLimits, options);
    const error = (await collecting.catch((reason: unknown) => reason)) as CombinedError;
    expect(error.message.split("\n")).toEqual([
      'failed to delete stale attachment stale1 eth0: plugin type="p3" failed (delete): busy',
      'failed to delete stale attachment stale2 eth0: plugin type="p3" failed (delete): unknown container',
      "failed to GC plugin p2: later",
    ]);
    expect(error.errors.map(({ code }) => code)).toEqual([42, 3, 11]);
    expect(plugins.order.slice(-3)).toEqual(["p1 GC", "p2 GC", "p3 GC"]);
    expect((await cache.list()).records).toHaveLength(3);
  });

  it("case 60: passes over foreign and broken files", async () => {
    const { cache, directory } = await makeCache();
    await remember(cache, "other", "stale");
    for (const [name, content] of [
      ["net-x-eth0", ""],
      ["net-y-eth0", '{"cniVersion":"1.0.0"}'],
      ["noise", "\0"],
    ] as const) {
      await writeFile(join(directory, "results", name), content);
    }
    await mkdir(join(directory, "results", "net-z-eth0"));
    const plugins = await ScriptedPlugins.create();
    const search = { searchPath: [plugins.directory] };
    await collectGarbageNetworkList(plugins.runtime({ cache }), listOf(), [], search, noLimits, options);
    expect(plugins.order).toEqual(["p1 GC", "p2 GC", "p3 GC"]);
    expect(await readdir(join(directory, "results"))).toHaveLength(5);
  });

  it("case 60: runs without a cache directory, and reports one that cannot be read beside running GC", async () => {
    const { cache, directory } = await makeCache();
    const plugins = await ScriptedPlugins.create();
    const search = { searchPath: [plugins.directory] };
    const runtime = plugins.runtime({ cache });
    await collectGarbageNetworkList(runtime, listOf(), [], search, noLimits, options);
    expect(plugins.runs).toHaveLength(3);
    await writeFile(join(directory, "results"), "");
    const collecting = collectGarbageNetworkList(runtime, listOf(), [], search, noLimits, options);
    await expect(collecting).rejects.toThrow("cannot read");
    expect(plugins.runs).toHaveLength(6);
  });
});
