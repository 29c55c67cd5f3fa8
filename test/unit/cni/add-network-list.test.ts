import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  addNetworkList,
  checkNetworkList,
  createResultCache,
  type NetworkList,
  type PluginRun,
  parseNetworkList,
  parsePluginConfiguration,
  writeFileDurably,
} from "../../../src/cni/index.ts";
import { answers, exits, fails, noLimits, ScriptedPlugins, timesOut } from "./scripted-plugins.ts";
import { makeTemporaryDirectory } from "./temporary-directory.ts";

function listOf(more: Record<string, unknown> = {}): NetworkList {
  return parseNetworkList(ScriptedPlugins.listText(more));
}

const withAddress = (cniVersion: string) => ({ cniVersion, ips: [{ version: "4", address: "10.0.0.1/8" }] });

describe("ADD of a list", () => {
  it("runs the plugins in order, each with the result of the one before, and gives the last one's", async () => {
    const plugins = await ScriptedPlugins.create({
      "p1 ADD": answers({ ...withAddress("1.1.0"), unknown: 1 }),
      "p2 ADD": answers({ cniVersion: "1.1.0", interfaces: [{ name: "eth0" }] }),
    });
    const result = await addNetworkList(plugins.runtime(), listOf(), plugins.attachment(), noLimits);
    expect(plugins.order).toEqual(["p1 ADD", "p2 ADD", "p3 ADD"]);
    expect(plugins.stdinOf("p1 ADD")).not.toHaveProperty("prevResult");
    expect(plugins.stdinOf("p2 ADD")?.["prevResult"]).toEqual({
      cniVersion: "1.1.0",
      ips: [{ address: "10.0.0.1/8" }],
    });
    expect(plugins.stdinOf("p3 ADD")?.["prevResult"]).toMatchObject({ interfaces: [{ name: "eth0" }] });
    expect(result).toMatchObject({ cniVersion: "1.1.0", interfaces: [] });
  });

  it("case 17: converts prevResult and the final result to the list's version (deviation 7)", async () => {
    const plugins = await ScriptedPlugins.create({
      "p1 ADD": answers(withAddress("0.4.0")),
      "p3 ADD": answers(withAddress("0.3.1")),
    });
    const result = await addNetworkList(plugins.runtime(), listOf(), plugins.attachment(), noLimits);
    expect(plugins.stdinOf("p2 ADD")?.["prevResult"]).toEqual({
      cniVersion: "1.1.0",
      ips: [{ address: "10.0.0.1/8" }],
    });
    expect(result).toMatchObject({ cniVersion: "1.1.0", ips: [{ address: "10.0.0.1/8" }] });
  });

  it("hands a result on as it is where the list's version cannot hold it, as libcni does", async () => {
    const plugins = await ScriptedPlugins.create({
      "p1 ADD": answers({ cniVersion: "0.4.0", interfaces: [{ name: "a" }] }),
      "p3 ADD": answers(withAddress("0.4.0")),
    });
    const list = listOf({ cniVersion: "0.2.0" });
    const result = await addNetworkList(plugins.runtime(), list, plugins.attachment(), noLimits);
    expect(plugins.stdinOf("p2 ADD")?.["prevResult"]).toMatchObject({ cniVersion: "0.4.0" });
    expect(result).toMatchObject({ cniVersion: "0.2.0", ip4: { ip: "10.0.0.1/8" } });
  });

  it("case 40: stops at the first failure and says what was tried", async () => {
    const plugins = await ScriptedPlugins.create({ "p2 ADD": fails(101, "no address", "pool") });
    const adding = addNetworkList(plugins.runtime(), listOf(), plugins.attachment(), noLimits);
    await expect(adding).rejects.toMatchObject({
      name: "AddFailedError",
      message: 'plugin type="p2" failed (add): no address',
      code: 101,
      details: "pool",
      fromPlugin: true,
      tried: [0, 1],
      plugin: { index: 1, type: "p2" },
    });
    expect(plugins.order).toEqual(["p1 ADD", "p2 ADD"]);
  });

  it("names the plugin configuration too where it has a name", async () => {
    const plugins = await ScriptedPlugins.create({ "p1 ADD": fails(1, "m") });
    const list = parseNetworkList(ScriptedPlugins.listText({}, [{ name: "own" }]));
    const adding = addNetworkList(plugins.runtime(), list, plugins.attachment(), noLimits);
    await expect(adding).rejects.toThrow('plugin type="p1" name="own" failed (add): m');
  });

  it("does not count a plugin that is missing or was not started as tried", async () => {
    const missing = await ScriptedPlugins.create({}, ["p2"]);
    const adding = addNetworkList(missing.runtime(), listOf(), missing.attachment(), noLimits);
    await expect(adding).rejects.toMatchObject({
      message: `plugin type="p2" failed (add): failed to find plugin "p2" in path [${missing.directory}]`,
      tried: [0],
      fromPlugin: false,
    });
    const refused = await ScriptedPlugins.create({
      "p2 ADD": {
        kind: "not-started",
        reason: "exec-format",
        errno: "ENOEXEC",
        message: "fork/exec p2: exec format error",
      },
    });
    const second = addNetworkList(refused.runtime(), listOf(), refused.attachment(), noLimits);
    await expect(second).rejects.toMatchObject({ tried: [0] });
  });

  it("counts a plugin that ran out of time as tried, with code 11", async () => {
    const plugins = await ScriptedPlugins.create({ "p1 ADD": timesOut(5000) });
    const adding = addNetworkList(plugins.runtime(), listOf(), plugins.attachment(), noLimits);
    await expect(adding).rejects.toMatchObject({
      message: 'plugin type="p1" failed (add): plugin "p1" did not end within 5 s and was killed',
      code: 11,
      tried: [0],
    });
  });

  it.each([
    [{ containerId: "a/b" }, {}, 4],
    [{ containerId: "" }, {}, 3],
    [{ ifName: "a b" }, {}, 4],
    [{}, { name: "../x" }, 7],
    [{}, { name: "" }, 7],
  ])("case 43: refuses names %j %j before any plugin runs", async (attachment, list, code) => {
    const plugins = await ScriptedPlugins.create();
    const adding = addNetworkList(plugins.runtime(), listOf(list), plugins.attachment(attachment), noLimits);
    await expect(adding).rejects.toMatchObject({ name: "AddFailedError", code, tried: [] });
    expect(plugins.runs).toEqual([]);
  });

  it.each(["", "{", "[".repeat(999) + "]".repeat(999)])(
    "refuses the capability argument %.10j, which no plugin wants, since its cached record could not be read",
    async (argument) => {
      const plugins = await ScriptedPlugins.create();
      const attachment = plugins.attachment({ capabilityArgs: { mac: argument } });
      const adding = addNetworkList(plugins.runtime(), listOf(), attachment, noLimits);
      await expect(adding).rejects.toMatchObject({
        message: expect.stringContaining('argument of capability "mac" is no JSON'),
        code: 7,
        tried: [],
      });
      expect(plugins.runs).toEqual([]);
    },
  );

  it("refuses a list without plugins", async () => {
    const plugins = await ScriptedPlugins.create();
    const list = parseNetworkList('{"name":"n"}');
    const adding = addNetworkList(plugins.runtime(), list, plugins.attachment(), noLimits);
    await expect(adding).rejects.toMatchObject({ message: "no plugins in list", code: 7 });
  });

  it("case 36: starts nothing once it is cancelled, and nothing after a plugin during which it was", async () => {
    const before = await ScriptedPlugins.create();
    const signal = AbortSignal.abort();
    const first = addNetworkList(before.runtime(), listOf(), before.attachment(), { ...noLimits, signal });
    await expect(first).rejects.toMatchObject({ code: 11, tried: [] });
    expect(before.runs).toEqual([]);

    const controller = new AbortController();
    const during = await ScriptedPlugins.create({
      "p1 ADD": () => {
        controller.abort();
        return answers("{}");
      },
    });
    const limits = { ...noLimits, signal: controller.signal };
    const second = addNetworkList(during.runtime(), listOf(), during.attachment(), limits);
    await expect(second).rejects.toMatchObject({ tried: [0] });
    expect(during.order).toEqual(["p1 ADD"]);
  });

  it("asks for each plugin's time right before it starts, and does not start one without any", async () => {
    const asked: number[] = [];
    const plugins = await ScriptedPlugins.create();
    const pluginTimeoutMs = (pluginsLeft: number) => {
      asked.push(pluginsLeft);
      return pluginsLeft === 1 ? 0 : 1000 * pluginsLeft;
    };
    const adding = addNetworkList(plugins.runtime(), listOf(), plugins.attachment(), { pluginTimeoutMs });
    await expect(adding).rejects.toMatchObject({ cause: { kind: "no-time" }, code: 11, tried: [0, 1] });
    expect(asked).toEqual([3, 2, 1]);
    expect(plugins.runs.map(({ invocation }) => invocation.timeoutMs)).toEqual([3000, 2000]);
  });

  it("tells the observer of each run", async () => {
    const runs: PluginRun[] = [];
    const plugins = await ScriptedPlugins.create({ "p2 ADD": exits(1) });
    const runtime = plugins.runtime({ onPluginRun: (run) => runs.push(run) });
    await expect(addNetworkList(runtime, listOf(), plugins.attachment(), noLimits)).rejects.toThrow();
    expect(runs).toMatchObject([
      { listName: "net", plugin: "p1", index: 0, command: "ADD", outcome: { kind: "exited", exitCode: 0 } },
      { listName: "net", plugin: "p2", index: 1, command: "ADD", outcome: { kind: "exited", exitCode: 1 } },
    ]);
  });
});

describe("the cached result of ADD", () => {
  const key = ["net", "cid", "eth0"] as const;

  it("case 39: is libcni's file with the exact text of the list, netns, arguments and the final result", async () => {
    const directory = await makeTemporaryDirectory();
    const cache = createResultCache(directory, writeFileDurably);
    const plugins = await ScriptedPlugins.create({ "p3 ADD": answers(withAddress("0.4.0")) });
    const text = `  ${ScriptedPlugins.listText({ é: 1 })}\n`;
    const list = { ...parseNetworkList(text) };
    const withDropIn = { ...list, plugins: [...list.plugins, parsePluginConfiguration('{"type":"p3"}')] };
    const attachment = plugins.attachment({ args: [["A", "1"]], capabilityArgs: { mac: '"aa"', n: "1.0" } });
    await addNetworkList(plugins.runtime({ cache }), withDropIn, attachment, noLimits);

    const file = join(directory, "results", "net-cid-eth0");
    const record = await readFile(file, "utf8");
    expect(record).toContain('"capabilityArgs":{"mac":"aa","n":1.0}');
    const parsed = JSON.parse(record);
    expect(Object.keys(parsed)).toEqual([
      "kind",
      "containerId",
      "config",
      "ifName",
      "networkName",
      "netns",
      "cniArgs",
      "capabilityArgs",
      "result",
    ]);
    expect(parsed).toMatchObject({
      kind: "cniCacheV1",
      containerId: "cid",
      ifName: "eth0",
      networkName: "net",
      netns: "/run/netns/x",
      cniArgs: [["A", "1"]],
      result: { cniVersion: "0.4.0", ips: [{ address: "10.0.0.1/8" }] },
    });
    expect(Buffer.from(parsed.config, "base64").toString()).toBe(text);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(directory, "results"))).mode & 0o777).toBe(0o700);
  });

  it("is the last plugin's answer in its own version, though the caller gets the list's", async () => {
    const cache = createResultCache(await makeTemporaryDirectory(), writeFileDurably);
    const answer = {
      cniVersion: "1.1.0",
      interfaces: [{ name: "eth0", mtu: 1400 }],
      ips: [{ address: "10.0.0.1/8" }],
    };
    const plugins = await ScriptedPlugins.create({ "p3 ADD": answers(answer) });
    const list = listOf({ cniVersion: "0.2.0" });
    const result = await addNetworkList(plugins.runtime({ cache }), list, plugins.attachment(), noLimits);

    expect(result).toMatchObject({ cniVersion: "0.2.0", ip4: { ip: "10.0.0.1/8" } });
    const newer = listOf({ cniVersion: "1.0.0" });
    await checkNetworkList(plugins.runtime({ cache }), newer, plugins.attachment(), "from-cache", noLimits);
    expect(plugins.stdinOf("p1 CHECK")?.["prevResult"]).toEqual({ ...answer, cniVersion: "1.0.0" });
  });

  it("case 40: is not written, and an older one left alone, when a plugin fails", async () => {
    const directory = await makeTemporaryDirectory();
    const cache = createResultCache(directory, writeFileDurably);
    const good = await ScriptedPlugins.create();
    await addNetworkList(good.runtime({ cache }), listOf(), good.attachment(), noLimits);
    const before = await readFile(join(directory, "results", key.join("-")));
    const bad = await ScriptedPlugins.create({ "p3 ADD": fails(1, "m") });
    const adding = addNetworkList(bad.runtime({ cache }), listOf(), bad.attachment(), noLimits);
    await expect(adding).rejects.toThrow();
    expect(await readFile(join(directory, "results", key.join("-")))).toEqual(before);
  });

  it("case 41: that cannot be written fails the ADD after all plugins have run", async () => {
    const directory = await makeTemporaryDirectory();
    await writeFile(join(directory, "results"), "");
    const cache = createResultCache(directory, writeFileDurably);
    const plugins = await ScriptedPlugins.create();
    const adding = addNetworkList(plugins.runtime({ cache }), listOf(), plugins.attachment(), noLimits);
    await expect(adding).rejects.toMatchObject({
      message: expect.stringContaining('failed to set network "net" cached result: '),
      code: 5,
      tried: [0, 1, 2],
      plugin: undefined,
    });
  });

  it("whose file name is too long fails the ADD before a plugin runs", async () => {
    const directory = await makeTemporaryDirectory();
    const cache = createResultCache(directory, writeFileDurably);
    const plugins = await ScriptedPlugins.create();
    const attachment = plugins.attachment({ containerId: "c".repeat(300) });
    const adding = addNetworkList(plugins.runtime({ cache }), listOf(), attachment, noLimits);
    await expect(adding).rejects.toMatchObject({
      message: expect.stringContaining("file name too long"),
      tried: [],
    });
    expect(plugins.runs).toEqual([]);
  });

  it("case 42: is a file of its own for each interface of a container", async () => {
    const directory = await makeTemporaryDirectory();
    const cache = createResultCache(directory, writeFileDurably);
    await mkdir(join(directory, "results"));
    const plugins = await ScriptedPlugins.create();
    for (const ifName of ["eth0", "net1"]) {
      await addNetworkList(plugins.runtime({ cache }), listOf(), plugins.attachment({ ifName }), noLimits);
    }
    expect(await readdir(join(directory, "results"))).toEqual(["net-cid-eth0", "net-cid-net1"]);
    await cache.remove("net", "cid", "eth0");
    expect(await readdir(join(directory, "results"))).toEqual(["net-cid-net1"]);
  });
});
