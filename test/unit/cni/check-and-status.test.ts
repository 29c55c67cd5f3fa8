import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  CheckNotSupportedError,
  checkNetworkList,
  createResultCache,
  type NetworkList,
  parseNetworkList,
  parseResult,
  statusNetworkList,
  writeFileDurably,
} from "../../../src/cni/index.ts";
import { fails, noLimits, ScriptedPlugins } from "./scripted-plugins.ts";
import { makeTemporaryDirectory } from "./temporary-directory.ts";

function listOf(more: Record<string, unknown> = {}): NetworkList {
  return parseNetworkList(ScriptedPlugins.listText(more));
}

async function cacheWith(content: string) {
  const directory = await makeTemporaryDirectory();
  await mkdir(join(directory, "results"));
  await writeFile(join(directory, "results", "net-cid-eth0"), content);
  return { directory, cache: createResultCache(directory, writeFileDurably) };
}

describe("CHECK of a list", () => {
  it("case 45: is not supported below 0.4.0, even if it is switched off", async () => {
    const plugins = await ScriptedPlugins.create();
    for (const more of [{}, { disableCheck: true }]) {
      const list = listOf({ cniVersion: "0.3.1", ...more });
      const checking = checkNetworkList(plugins.runtime(), list, plugins.attachment(), undefined, noLimits);
      await expect(checking).rejects.toThrow(CheckNotSupportedError);
      await expect(checking).rejects.toMatchObject({
        message: 'configuration version "0.3.1" does not support the CHECK command',
        code: 1,
      });
    }
    expect(plugins.runs).toEqual([]);
  });

  it("case 46: succeeds without a run and without reading the cache where it is switched off", async () => {
    const { cache } = await cacheWith("");
    const plugins = await ScriptedPlugins.create();
    const runtime = plugins.runtime({ cache });
    await checkNetworkList(
      runtime,
      listOf({ disableCheck: "true" }),
      plugins.attachment(),
      "from-cache",
      noLimits,
    );
    expect(plugins.runs).toEqual([]);
  });

  it("case 47: gives a cached result of libcni v0.7 in the list's version", async () => {
    const { cache } = await cacheWith(
      '{"cniVersion":"0.3.1","ips":[{"version":"4","address":"10.0.0.1/8"}],"dns":{}}',
    );
    const plugins = await ScriptedPlugins.create();
    await checkNetworkList(
      plugins.runtime({ cache }),
      listOf(),
      plugins.attachment(),
      "from-cache",
      noLimits,
    );
    expect(plugins.order).toEqual(["p1 CHECK", "p2 CHECK", "p3 CHECK"]);
    for (const { stdin } of plugins.runs) {
      expect(stdin["prevResult"]).toEqual({ cniVersion: "1.1.0", ips: [{ address: "10.0.0.1/8" }] });
    }
  });

  it("case 48: stops at a failure and gives it as it is", async () => {
    const plugins = await ScriptedPlugins.create({ "p2 CHECK": fails(101, "link is gone") });
    const prevResult = parseResult('{"cniVersion":"1.0.0"}');
    const checking = checkNetworkList(
      plugins.runtime(),
      listOf(),
      plugins.attachment(),
      prevResult,
      noLimits,
    );
    await expect(checking).rejects.toMatchObject({ message: "link is gone", code: 101 });
    expect(plugins.order).toEqual(["p1 CHECK", "p2 CHECK"]);
    expect(plugins.stdinOf("p1 CHECK")?.["prevResult"]).toEqual({ cniVersion: "1.1.0" });
  });

  it("case 48: runs without prevResult where nothing is cached", async () => {
    const plugins = await ScriptedPlugins.create();
    await checkNetworkList(plugins.runtime(), listOf(), plugins.attachment(), "from-cache", noLimits);
    expect(plugins.stdinOf("p1 CHECK")).not.toHaveProperty("prevResult");
  });

  it.each([
    ["", "empty file"],
    ["garbage", "invalid character 'g'"],
    ["{}", "neither a record nor a result"],
    ['{"cniVersion":"9.0.0"}', 'unsupported CNI result version "9.0.0"'],
  ])("case 49: fails with the cache file %j, which stays", async (content, reason) => {
    const { cache, directory } = await cacheWith(content);
    const plugins = await ScriptedPlugins.create();
    const checking = checkNetworkList(
      plugins.runtime({ cache }),
      listOf(),
      plugins.attachment(),
      "from-cache",
      noLimits,
    );
    await expect(checking).rejects.toThrow(`failed to get network "net" cached result: ${reason}`);
    expect(plugins.runs).toEqual([]);
    expect(await readdir(join(directory, "results"))).toEqual(["net-cid-eth0"]);
  });
});

describe("STATUS of a list", () => {
  it.each(["1.0.0", "", "banana"])("case 62: succeeds without a run for version %j", async (cniVersion) => {
    const plugins = await ScriptedPlugins.create();
    const search = { searchPath: [plugins.directory] };
    await statusNetworkList(plugins.runtime(), listOf({ cniVersion }), search, noLimits);
    expect(plugins.runs).toEqual([]);
  });

  it("case 62: gives the first failure with its code, and runs no further plugin", async () => {
    const plugins = await ScriptedPlugins.create({ "p2 STATUS": fails(50, "not ready") });
    const asking = statusNetworkList(
      plugins.runtime(),
      listOf(),
      { searchPath: [plugins.directory] },
      noLimits,
    );
    await expect(asking).rejects.toMatchObject({ code: 50, message: "not ready" });
    expect(plugins.order).toEqual(["p1 STATUS", "p2 STATUS"]);
    expect(plugins.stdinOf("p1 STATUS")).toEqual({ type: "p1", cniVersion: "1.1.0", name: "net" });
  });
});
