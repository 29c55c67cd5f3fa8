import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  addNetworkList,
  deleteNetworkList,
  networkListFromPlugin,
  parsePluginConfiguration,
} from "../../../src/cni/index.ts";
import { addressResult, type CaseRig, failureOf, listOf, noLimits, shareHost } from "./case-rig.ts";

const useRig = shareHost();

async function add(rig: CaseRig, keys: Readonly<Record<string, unknown>> = {}): Promise<void> {
  await rig.plugins.behave("p1", "ADD", { stdout: addressResult("1.1.0") });
  await addNetworkList(rig.runtime(), listOf(keys), rig.attachment(), noLimits);
}

async function del(rig: CaseRig, keys: Readonly<Record<string, unknown>> = {}) {
  return await deleteNetworkList(rig.runtime(), listOf(keys), rig.attachment(), noLimits);
}

async function writeCached(rig: CaseRig, text: string): Promise<void> {
  await mkdir(dirname(rig.cacheFile()), { recursive: true });
  await writeFile(rig.cacheFile(), text);
}

const lastFirst = ["p3 DEL", "p2 DEL", "p1 DEL"];
const isGone = async (file: string) =>
  await stat(file).then(
    () => false,
    () => true,
  );

describe("DEL", () => {
  it("case 50: runs the last plugin first, each with ADD's result, removes it, and succeeds again without", async () => {
    const rig = await useRig();
    await add(rig);
    expect(await del(rig)).toEqual({});
    expect((await rig.order()).slice(3)).toEqual(lastFirst);
    for (const run of lastFirst) {
      expect((await rig.stdin(run))["prevResult"]).toEqual({
        cniVersion: "1.1.0",
        ips: [{ address: "10.0.0.1/8" }],
      });
    }
    expect(await isGone(rig.cacheFile())).toBe(true);
    expect(await del(rig)).toEqual({});
    expect((await rig.order()).slice(6)).toEqual(lastFirst);
    for (const run of lastFirst) expect(await rig.stdin(run)).not.toHaveProperty("prevResult");
  });

  it("case 50: gives the cached result in the list's version, whichever ADD had", async () => {
    const rig = await useRig();
    await add(rig);
    await del(rig, { cniVersion: "0.4.0" });
    expect((await rig.stdin("p1 DEL"))["prevResult"]).toEqual({
      cniVersion: "0.4.0",
      ips: [{ version: "4", address: "10.0.0.1/8" }],
      dns: {},
    });
  });

  it.each(["garbage", addressResult("0.3.1")])(
    "case 51: below 0.4.0 reads no cached result (%s), but removes what is there",
    async (text) => {
      const rig = await useRig();
      await writeCached(rig, text);
      await del(rig, { cniVersion: "0.3.1" });
      expect(await rig.order()).toEqual(lastFirst);
      expect(await rig.stdin("p3 DEL")).not.toHaveProperty("prevResult");
      expect(await isGone(rig.cacheFile())).toBe(true);
    },
  );

  const broken = [
    "",
    "{",
    '{"kind":"cniCacheV1","containerId":"cid","conf',
    '{"cniVersion":"9.0.0"}',
    "\0\0",
  ];

  it.each(broken)(
    "case 52: a list runs without prevResult with the cache file %j, which goes",
    async (text) => {
      const rig = await useRig();
      await writeCached(rig, text);
      expect(await del(rig)).toEqual({ cacheProblem: expect.stringContaining("is corrupt") });
      expect(await rig.order()).toEqual(lastFirst);
      expect(await rig.stdin("p3 DEL")).not.toHaveProperty("prevResult");
      expect(await isGone(rig.cacheFile())).toBe(true);
    },
  );

  it.each(broken)("case 52: so does a single plugin, with %j", async (text) => {
    const rig = await useRig();
    await writeCached(rig, text);
    const plugin = parsePluginConfiguration('{"cniVersion":"1.1.0","name":"net","type":"p1"}');
    await deleteNetworkList(rig.runtime(), networkListFromPlugin(plugin), rig.attachment(), noLimits);
    expect(await rig.order()).toEqual(["p1 DEL"]);
    expect(await rig.stdin("p1 DEL")).not.toHaveProperty("prevResult");
    expect(await isGone(rig.cacheFile())).toBe(true);
  });

  it("case 53: stops at a failure and keeps the cached result, which the next DEL gives again", async () => {
    const rig = await useRig();
    await add(rig);
    const cached = await readFile(rig.cacheFile(), "utf8");
    await rig.plugins.behave("p2", "DEL", { code: 142, msg: "in use", once: true });
    const error = await failureOf(del(rig));
    expect(error).toMatchObject({ message: 'plugin type="p2" failed (delete): in use', code: 142 });
    expect((await rig.order()).slice(3)).toEqual(["p3 DEL", "p2 DEL"]);
    expect(await readFile(rig.cacheFile(), "utf8")).toBe(cached);
    await del(rig);
    expect((await rig.order()).slice(5)).toEqual(lastFirst);
    expect((await rig.stdin("p1 DEL"))["prevResult"]).toMatchObject({ ips: [{ address: "10.0.0.1/8" }] });
    expect(await isGone(rig.cacheFile())).toBe(true);
  });

  it("case 54: has an empty CNI_NETNS where the namespace has gone, and all else as before", async () => {
    const rig = await useRig();
    await add(rig);
    const args = [["A", "1"]] as const;
    await deleteNetworkList(rig.runtime(), listOf(), rig.attachment({ netns: "", args }), noLimits);
    const { env, stdin } = await rig.call("p2 DEL");
    expect(env).toMatchObject({
      CNI_COMMAND: "DEL",
      CNI_CONTAINERID: "cid",
      CNI_NETNS: "",
      CNI_IFNAME: "eth0",
      CNI_ARGS: "A=1",
      CNI_PATH: rig.plugins.binDir,
    });
    expect(JSON.parse(stdin)).toHaveProperty("prevResult");
  });

  it("case 55: a binary that is missing is found out once the plugins behind it have run", async () => {
    const rig = await useRig();
    await add(rig);
    await rm(join(rig.plugins.binDir, "p2"));
    await expect(del(rig)).rejects.toThrow(
      `plugin type="p2" failed (delete): failed to find plugin "p2" in path [${rig.plugins.binDir}]`,
    );
    expect((await rig.order()).slice(3)).toEqual(["p3 DEL"]);
    expect(await isGone(rig.cacheFile())).toBe(false);
  });

  it("case 55: a version that is none runs nothing", async () => {
    const rig = await useRig();
    await expect(del(rig, { cniVersion: "banana" })).rejects.toMatchObject({ code: 1 });
    expect(await rig.order()).toEqual([]);
  });

  it.each([{ containerId: 7 }, { config: "%%%" }, { cniArgs: "A=1" }, { result: [] }])(
    "case 56: a record with %j is corrupt and no empty result",
    async (mistyped) => {
      const rig = await useRig();
      await add(rig);
      const record = JSON.parse(await readFile(rig.cacheFile(), "utf8"));
      await writeCached(rig, JSON.stringify({ ...record, ...mistyped }));
      expect(await del(rig)).toEqual({ cacheProblem: expect.stringContaining("is corrupt") });
      expect(await rig.stdin("p3 DEL")).not.toHaveProperty("prevResult");
      expect(await isGone(rig.cacheFile())).toBe(true);
    },
  );
});
