import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  addNetworkList,
  createResultCache,
  deleteNetworkList,
  type NetworkList,
  parseNetworkList,
  type ResultCache,
  writeFileDurably,
} from "../../../src/cni/index.ts";
import { answers, fails, noLimits, ScriptedPlugins } from "./scripted-plugins.ts";
import { makeTemporaryDirectory } from "./temporary-directory.ts";

interface Scene {
  readonly cache: ResultCache;
  readonly results: string;
}

async function makeScene(cacheFile?: string): Promise<Scene> {
  const directory = await makeTemporaryDirectory();
  const results = join(directory, "results");
  await mkdir(results);
  if (cacheFile !== undefined) await writeFile(join(results, "net-cid-eth0"), cacheFile);
  return { results, cache: createResultCache(directory, writeFileDurably) };
}

function listOf(more: Record<string, unknown> = {}): NetworkList {
  return parseNetworkList(ScriptedPlugins.listText(more));
}

const address = { cniVersion: "1.1.0", ips: [{ address: "10.0.0.1/8" }] };

describe("DEL of a list as libcni does it", () => {
  it("case 50: runs the last plugin first, each with ADD's final result, then removes the cached one", async () => {
    const { cache, results } = await makeScene();
    const plugins = await ScriptedPlugins.create({ "p3 ADD": answers(address) });
    const runtime = plugins.runtime({ cache });
    await addNetworkList(runtime, listOf(), plugins.attachment(), noLimits);
    expect(await deleteNetworkList(runtime, listOf(), plugins.attachment(), noLimits)).toEqual({});
    expect(plugins.order.slice(3)).toEqual(["p3 DEL", "p2 DEL", "p1 DEL"]);
    for (const run of plugins.runs.slice(3)) expect(run.stdin["prevResult"]).toEqual(address);
    expect(await readdir(results)).toEqual([]);
  });

  it("case 50: succeeds again without a prevResult", async () => {
    const { cache } = await makeScene();
    const plugins = await ScriptedPlugins.create();
    await deleteNetworkList(plugins.runtime({ cache }), listOf(), plugins.attachment(), noLimits);
    expect(plugins.order).toEqual(["p3 DEL", "p2 DEL", "p1 DEL"]);
    expect(plugins.runs.some(({ stdin }) => "prevResult" in stdin)).toBe(false);
  });

  it("gives a cached result in the list's version", async () => {
    const { cache } = await makeScene(
      '{"cniVersion":"0.3.1","ips":[{"version":"4","address":"10.0.0.1/8"}],"dns":{}}',
    );
    const plugins = await ScriptedPlugins.create();
    await deleteNetworkList(plugins.runtime({ cache }), listOf(), plugins.attachment(), noLimits);
    expect(plugins.stdinOf("p1 DEL")?.["prevResult"]).toEqual(address);
  });

  it.each(["garbage", JSON.stringify(address)])(
    "case 51: below 0.4.0 reads no cached result (%s) but removes what is there",
    async (content) => {
      const { cache, results } = await makeScene(content);
      const plugins = await ScriptedPlugins.create();
      const list = listOf({ cniVersion: "0.3.1" });
      await deleteNetworkList(plugins.runtime({ cache }), list, plugins.attachment(), noLimits);
      expect(plugins.runs.some(({ stdin }) => "prevResult" in stdin)).toBe(false);
      expect(await readdir(results)).toEqual([]);
    },
  );

  it.each([
    "",
    "{",
    "{}",
    "null",
    "[]",
    "\0\0\0\0",
    '{"kind":"other"}',
    '{"kind":"cniCacheV1","containerId":7}',
    '{"kind":"cniCacheV1","config":"%%%"}',
    '{"cniVersion":"9.0.0"}',
  ])("cases 52 and 56: runs without prevResult and succeeds with the cache file %j", async (content) => {
    const { cache, results } = await makeScene(content);
    const plugins = await ScriptedPlugins.create();
    const done = await deleteNetworkList(
      plugins.runtime({ cache }),
      listOf(),
      plugins.attachment(),
      noLimits,
    );
    expect(done.cacheProblem).toContain("is corrupt");
    expect(plugins.order).toEqual(["p3 DEL", "p2 DEL", "p1 DEL"]);
    expect(plugins.runs.some(({ stdin }) => "prevResult" in stdin)).toBe(false);
    expect(await readdir(results)).toEqual([]);
  });

  it("case 53: stops at a failure and keeps the cached result, which the next DEL passes again", async () => {
    const { cache, results } = await makeScene(JSON.stringify(address));
    let isBroken = true;
    const plugins = await ScriptedPlugins.create({
      "p2 DEL": () => (isBroken ? fails(42, "busy") : answers("")),
    });
    const runtime = plugins.runtime({ cache });
    await expect(deleteNetworkList(runtime, listOf(), plugins.attachment(), noLimits)).rejects.toMatchObject({
      message: 'plugin type="p2" failed (delete): busy',
      code: 42,
      plugin: { index: 1 },
    });
    expect(plugins.order).toEqual(["p3 DEL", "p2 DEL"]);
    expect(await readdir(results)).toEqual(["net-cid-eth0"]);
    isBroken = false;
    await deleteNetworkList(runtime, listOf(), plugins.attachment(), noLimits);
    expect(plugins.runs.at(-1)?.stdin["prevResult"]).toEqual(address);
    expect(await readdir(results)).toEqual([]);
  });

  it("says in one text that a plugin failed and that its prevResult was corrupt, and keeps the file", async () => {
    const { cache, results } = await makeScene("");
    const plugins = await ScriptedPlugins.create({ "p3 DEL": fails(7, "needs prevResult") });
    const deleting = deleteNetworkList(plugins.runtime({ cache }), listOf(), plugins.attachment(), noLimits);
    await expect(deleting).rejects.toThrow(/failed \(delete\): needs prevResult .*is corrupt: empty file/);
    expect(await readdir(results)).toEqual(["net-cid-eth0"]);
  });

  it("case 54: sets an empty namespace and leaves everything else as it was", async () => {
    const plugins = await ScriptedPlugins.create();
    await deleteNetworkList(plugins.runtime(), listOf(), plugins.attachment({ netns: "" }), noLimits);
    expect(plugins.runs[0]?.invocation.env).toMatchObject({ CNI_NETNS: "", CNI_IFNAME: "eth0" });
  });

  it("case 55: fails for a missing plugin after those behind it have run", async () => {
    const plugins = await ScriptedPlugins.create({}, ["p2"]);
    const deleting = deleteNetworkList(plugins.runtime(), listOf(), plugins.attachment(), noLimits);
    await expect(deleting).rejects.toThrow('plugin type="p2" failed (delete): failed to find plugin "p2"');
    expect(plugins.order).toEqual(["p3 DEL"]);
  });

  it("case 55: runs nothing for a version that is none", async () => {
    const plugins = await ScriptedPlugins.create();
    const list = listOf({ cniVersion: "banana" });
    const deleting = deleteNetworkList(plugins.runtime(), list, plugins.attachment(), noLimits);
    await expect(deleting).rejects.toThrow('failed to convert major version part "banana"');
    expect(plugins.runs).toEqual([]);
  });

  it("case 43: takes names that ADD would refuse, but none that could leave the cache directory", async () => {
    const { cache } = await makeScene();
    const odd = await ScriptedPlugins.create();
    await deleteNetworkList(
      odd.runtime({ cache }),
      listOf(),
      odd.attachment({ containerId: "a b" }),
      noLimits,
    );
    expect(odd.runs).toHaveLength(3);
    const evil = await ScriptedPlugins.create();
    const attachment = evil.attachment({ containerId: "../../x" });
    const deleting = deleteNetworkList(evil.runtime({ cache }), listOf(), attachment, noLimits);
    await expect(deleting).rejects.toMatchObject({ code: 4 });
    expect(evil.runs).toEqual([]);
  });

  it("case 43: refuses such a name before anything runs, though a list below 0.4.0 reads no cache", async () => {
    const { cache } = await makeScene();
    const plugins = await ScriptedPlugins.create();
    const attachment = plugins.attachment({ ifName: "a/b" });
    const list = listOf({ cniVersion: "0.3.1" });
    const deleting = deleteNetworkList(plugins.runtime({ cache }), list, attachment, noLimits);
    await expect(deleting).rejects.toMatchObject({ code: 4 });
    expect(plugins.runs).toEqual([]);
  });

  it("neither uses nor removes the record of another attachment whose file has the same name", async () => {
    const { cache, results } = await makeScene(
      JSON.stringify({
        kind: "cniCacheV1",
        containerId: "cid-eth0",
        networkName: "net",
        ifName: "x",
        config: "",
        result: address,
      }),
    );
    const plugins = await ScriptedPlugins.create();
    await deleteNetworkList(plugins.runtime({ cache }), listOf(), plugins.attachment(), noLimits);
    expect(plugins.runs.some(({ stdin }) => "prevResult" in stdin)).toBe(false);
    expect(await readdir(results)).toEqual(["net-cid-eth0"]);
  });
});
