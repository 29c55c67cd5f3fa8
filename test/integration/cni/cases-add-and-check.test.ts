import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  addNetworkList,
  checkNetworkList,
  deleteNetworkList,
  loadNetworkListFile,
  pluginFailureOf,
  validateNetworkList,
} from "../../../src/cni/index.ts";
import {
  addressResult,
  type CaseRig,
  failureOf,
  listOf,
  listOfOne,
  noLimits,
  shareHost,
} from "./case-rig.ts";

const useRig = shareHost();

describe("validation of a list", () => {
  it("case 38: names every plugin that is missing or lacks the version, in one error", async () => {
    const rig = await useRig();
    await rm(join(rig.plugins.binDir, "p1"));
    await rig.plugins.behave("p3", "VERSION", { version: "0.4.0,1.0.0" });
    const search = { searchPath: [rig.plugins.binDir] };
    await expect(validateNetworkList(rig.runtime(), listOf(), search, noLimits)).rejects.toThrow(
      `[failed to find plugin "p1" in path [${rig.plugins.binDir}] plugin p3 does not support config version "1.1.0"]`,
    );
    expect(await rig.order()).toEqual(["p2 VERSION", "p3 VERSION"]);
  });

  it("case 38: gives the capabilities that any plugin has switched on", async () => {
    const rig = await useRig();
    const list = listOf({}, [
      { capabilities: { mac: true, off: false } },
      { capabilities: { mac: true, ips: true } },
    ]);
    const search = { searchPath: [rig.plugins.binDir] };
    expect(await validateNetworkList(rig.runtime(), list, search, noLimits)).toEqual(["mac", "ips"]);
  });
});

describe("ADD and its cached result", () => {
  it("case 39: is libcni's file, private, with the list's exact bytes", async () => {
    const rig = await useRig();
    await rig.plugins.behave("p1", "ADD", { stdout: addressResult("0.4.0") });
    const text = ' {\n"name":"net", "cniVersion":"1.1.0", "é":1.0, "plugins":[{"type":"p1"}] }\n';
    const file = join(rig.directory, "10-net.conflist");
    await mkdir(join(rig.directory, "net"));
    await writeFile(file, text);
    await writeFile(join(rig.directory, "net", "20.conf"), '{"type":"p2"}');
    const list = await loadNetworkListFile(file);
    const attachment = rig.attachment({ args: [["A", "1"]], capabilityArgs: { n: "1.0" } });
    const result = await addNetworkList(rig.runtime(), list, attachment, noLimits);
    const written = await readFile(rig.cacheFile(), "utf8");
    const record = JSON.parse(written);
    expect(Object.keys(record).join()).toBe(
      "kind,containerId,config,ifName,networkName,netns,cniArgs,capabilityArgs,result",
    );
    expect(written).toContain('"cniArgs":[["A","1"]],"capabilityArgs":{"n":1.0},"result":');
    expect(record).toMatchObject({
      kind: "cniCacheV1",
      containerId: "cid",
      ifName: "eth0",
      networkName: "net",
      netns: "/run/netns/x",
      result: { cniVersion: "1.1.0", ips: [{ address: "10.0.0.1/8" }] },
    });
    expect(result).toMatchObject(record.result);
    expect(Buffer.from(record.config, "base64").toString()).toBe(text);
    expect((await stat(rig.cacheFile())).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(rig.cacheFile()))).mode & 0o777).toBe(0o700);
    expect(await rig.order()).toEqual(["p1 ADD", "p2 ADD"]);
  });

  it("case 40: a failure stops the chain and leaves no cached result, or the older one", async () => {
    const rig = await useRig();
    await rig.plugins.behave("p2", "ADD", { code: 101, msg: "no address", details: "pool" });
    const add = async () => await addNetworkList(rig.runtime(), listOf(), rig.attachment(), noLimits);
    const error = await failureOf(add());
    expect(error).toMatchObject({
      message: 'plugin type="p2" failed (add): no address',
      code: 101,
      details: "pool",
      tried: [0, 1],
    });
    expect(pluginFailureOf(error)).toMatchObject({ code: 101 });
    expect(await rig.order()).toEqual(["p1 ADD", "p2 ADD"]);
    expect(await rig.cache.read("net", "cid", "eth0")).toEqual({ kind: "missing" });
    await mkdir(dirname(rig.cacheFile()), { recursive: true });
    await writeFile(rig.cacheFile(), "older");
    await failureOf(add());
    expect(await readFile(rig.cacheFile(), "utf8")).toBe("older");
  });

  it("case 41: a result that cannot be cached fails the ADD once all plugins have run", async () => {
    const rig = await useRig();
    await mkdir(join(rig.directory, "cache"));
    await writeFile(dirname(rig.cacheFile()), "a file where the directory should be");
    const error = await failureOf(addNetworkList(rig.runtime(), listOf(), rig.attachment(), noLimits));
    expect(error).toMatchObject({
      message: expect.stringMatching(/^failed to set network "net" cached result: /),
      code: 5,
      tried: [0, 1, 2],
    });
    expect(await rig.order()).toEqual(["p1 ADD", "p2 ADD", "p3 ADD"]);
  });

  it("case 42: each interface of a container has a file of its own", async () => {
    const rig = await useRig();
    for (const ifName of ["eth0", "net1"]) {
      await addNetworkList(rig.runtime(), listOfOne(), rig.attachment({ ifName }), noLimits);
    }
    await deleteNetworkList(rig.runtime(), listOfOne(), rig.attachment({ ifName: "net1" }), noLimits);
    expect(await rig.cache.read("net", "cid", "eth0")).toMatchObject({ kind: "usable" });
    expect(await rig.cache.read("net", "cid", "net1")).toEqual({ kind: "missing" });
  });

  it.each([
    [{ containerId: "" }, {}, 3],
    [{ containerId: "a/b" }, {}, 4],
    [{}, { name: "../x" }, 7],
    [{ ifName: "a b" }, {}, 4],
    [{ ifName: "abcdefghijklmnop" }, {}, 4],
  ])("case 43: ADD refuses %j %j before anything runs", async (attachment, keys, code) => {
    const rig = await useRig();
    const error = await failureOf(
      addNetworkList(rig.runtime(), listOf(keys), rig.attachment(attachment), noLimits),
    );
    expect(error).toMatchObject({ code, tried: [] });
    expect(await rig.order()).toEqual([]);
  });

  it("case 43: DEL takes such names, but none that could leave the cache directory", async () => {
    const rig = await useRig();
    const del = async (ifName: string) =>
      await deleteNetworkList(rig.runtime(), listOfOne(), rig.attachment({ ifName }), noLimits);
    expect(await del("a b")).toEqual({});
    expect(await rig.order()).toEqual(["p1 DEL"]);
    await expect(del("../eth0")).rejects.toMatchObject({ code: 4 });
    expect(await rig.order()).toEqual(["p1 DEL"]);
  });
});

describe("CHECK", () => {
  const check = async (rig: CaseRig, keys: Readonly<Record<string, unknown>> = {}) =>
    await checkNetworkList(rig.runtime(), listOf(keys), rig.attachment(), "from-cache", noLimits);

  async function writeCached(rig: CaseRig, text: string): Promise<void> {
    await mkdir(dirname(rig.cacheFile()), { recursive: true });
    await writeFile(rig.cacheFile(), text);
  }

  it.each([{}, { disableCheck: true }])("case 45: is not supported below 0.4.0, with %j", async (keys) => {
    const rig = await useRig();
    await expect(check(rig, { cniVersion: "0.3.1", ...keys })).rejects.toThrow(
      'configuration version "0.3.1" does not support the CHECK command',
    );
    expect(await rig.order()).toEqual([]);
  });

  it("case 46: is a success without a run where it is switched off, whatever is cached", async () => {
    const rig = await useRig();
    await writeCached(rig, "garbage");
    await check(rig, { disableCheck: true });
    expect(await rig.order()).toEqual([]);
  });

  it("case 47: gives a bare result of an old libcni in the list's version", async () => {
    const rig = await useRig();
    await writeCached(
      rig,
      '{"cniVersion":"0.3.1","interfaces":[{"name":"eth0"}],"ips":[{"version":"4","interface":0,"address":"10.0.0.1/8"}],"dns":{}}',
    );
    for (const type of ["p1", "p2", "p3"]) await rig.plugins.behave(type, "CHECK", { stdout: "ignored" });
    await check(rig);
    expect(await rig.order()).toEqual(["p1 CHECK", "p2 CHECK", "p3 CHECK"]);
    for (const type of ["p1", "p2", "p3"]) {
      expect((await rig.stdin(`${type} CHECK`))["prevResult"]).toEqual({
        cniVersion: "1.1.0",
        interfaces: [{ name: "eth0" }],
        ips: [{ interface: 0, address: "10.0.0.1/8" }],
      });
    }
  });

  it("case 48: stops at a failure, which is given as it is", async () => {
    const rig = await useRig();
    await addNetworkList(rig.runtime(), listOf(), rig.attachment(), noLimits);
    await rig.plugins.behave("p2", "CHECK", { code: 77, msg: "cable unplugged" });
    const error = await failureOf(check(rig));
    expect(error).toMatchObject({ message: "cable unplugged", code: 77 });
    expect((await rig.order()).slice(3)).toEqual(["p1 CHECK", "p2 CHECK"]);
  });

  it("case 48: runs without prevResult where nothing is cached", async () => {
    const rig = await useRig();
    await rig.plugins.behave("net", "CHECK", { stdout: "" });
    await check(rig);
    expect(await rig.stdin("p3 CHECK")).not.toHaveProperty("prevResult");
  });

  it.each(["", "garbage", '{"kind":"cniCacheV1"', '{"kind":"other"}', "{}"])(
    "case 49: fails for the cache file %j, which stays",
    async (text) => {
      const rig = await useRig();
      await writeCached(rig, text);
      await expect(check(rig)).rejects.toThrow('failed to get network "net" cached result: ');
      expect(await readFile(rig.cacheFile(), "utf8")).toBe(text);
      expect(await rig.order()).toEqual([]);
    },
  );
});
