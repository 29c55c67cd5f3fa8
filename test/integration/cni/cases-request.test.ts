import { describe, expect, it } from "vitest";
import {
  addNetworkList,
  baseEnvironment,
  checkNetworkList,
  collectGarbageNetworkList,
  deleteNetworkList,
  parseNetworkList,
  statusNetworkList,
} from "../../../src/cni/index.ts";
import { addressResult, listOf, listOfOne, noLimits, shareHost } from "./case-rig.ts";

const useRig = shareHost();

describe("what a process gets on stdin", () => {
  it("case 16: its own text in the author's order, with name and version of the list", async () => {
    const rig = await useRig();
    const plugin =
      '{"Z":{"n":12345678901234567890,"e":1e400},"type":"p1","name":"own","cniVersion":"0.3.1","a":1.0,"s":"\\/<"}';
    const list = parseNetworkList(`{"cniVersion":"1.1.0","name":"net","plugins":[ ${plugin} ]}`);
    await addNetworkList(rig.runtime(), list, rig.attachment(), noLimits);
    expect((await rig.call("p1 ADD")).stdin).toBe(
      '{"Z":{"n":12345678901234567890,"e":1e400},"type":"p1","name":"net","cniVersion":"1.1.0","a":1.0,"s":"\\/<"}',
    );
  });

  it("case 17: the answer of the one before, without unknown keys and in the list's version", async () => {
    const rig = await useRig();
    await rig.plugins.behave("p1", "ADD", {
      stdout: '{"cniVersion":"0.4.0","ips":[{"version":"4","address":"10.0.0.1/8","x":1}],"unknown":2}',
    });
    await rig.plugins.behave("p2", "ADD", {
      stdout: '{"cniVersion":"1.1.0","interfaces":[{"name":"eth0"}]}',
    });
    const result = await addNetworkList(rig.runtime(), listOf(), rig.attachment(), noLimits);
    expect(await rig.stdin("p1 ADD")).not.toHaveProperty("prevResult");
    expect((await rig.stdin("p2 ADD"))["prevResult"]).toEqual({
      cniVersion: "1.1.0",
      ips: [{ address: "10.0.0.1/8" }],
    });
    expect((await rig.stdin("p3 ADD"))["prevResult"]).toEqual({
      cniVersion: "1.1.0",
      interfaces: [{ name: "eth0" }],
    });
    expect(result).toMatchObject({ cniVersion: "1.1.0", interfaces: [{ name: "eth0" }] });
  });

  it("case 18: the capability arguments that it has switched on, and none else", async () => {
    const rig = await useRig();
    const capabilities = { mac: true, off: false };
    const list = listOf({}, [
      { capabilities },
      { capabilities: { other2: true } },
      { capabilities: { other2: true }, runtimeConfig: { own: 1 } },
    ]);
    const capabilityArgs = { mac: '"aa:bb"', off: "1", other: "2" };
    await addNetworkList(rig.runtime(), list, rig.attachment({ capabilityArgs }), noLimits);
    expect((await rig.stdin("p1 ADD"))["runtimeConfig"]).toEqual({ mac: "aa:bb" });
    expect(await rig.stdin("p2 ADD")).not.toHaveProperty("runtimeConfig");
    expect((await rig.stdin("p3 ADD"))["runtimeConfig"]).toEqual({ own: 1 });
  });

  it("case 19: null arguments too, and runtimeConfig replaces the author's", async () => {
    const rig = await useRig();
    const list = listOfOne({ capabilities: { ips: true, n: true }, runtimeConfig: { own: 1 } });
    const attachment = rig.attachment({ capabilityArgs: { ips: "null", n: "1e400" } });
    await addNetworkList(rig.runtime(), list, attachment, noLimits);
    expect((await rig.call("p1 ADD")).stdin).toContain('"runtimeConfig":{"ips":null,"n":1e400}');
  });

  it("case 20: no capabilities and no cni.dev keys from ADD, CHECK and DEL, except in libcni's manner", async () => {
    const rig = await useRig();
    const list = listOfOne({ capabilities: { mac: true }, "cni.dev/foo": 1, kept: 2 });
    for (const passReservedKeys of [false, true]) {
      const cni = rig.runtime({ passReservedKeys });
      await addNetworkList(cni, list, rig.attachment(), noLimits);
      await checkNetworkList(cni, list, rig.attachment(), "from-cache", noLimits);
      await deleteNetworkList(cni, list, rig.attachment(), noLimits);
    }
    const seen = (await rig.plugins.calls()).map(({ stdin }) => JSON.parse(stdin) as object);
    expect(seen).toHaveLength(6);
    for (const stdin of seen) expect(stdin).toHaveProperty("kept", 2);
    for (const stdin of seen.slice(0, 3)) {
      expect(Object.keys(stdin)).not.toContain("capabilities");
      expect(Object.keys(stdin)).not.toContain("cni.dev/foo");
    }
    for (const stdin of seen.slice(3))
      expect(stdin).toMatchObject({ capabilities: { mac: true }, "cni.dev/foo": 1 });
  });
});

describe("the environment of a process", () => {
  const protocol = (env: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith("CNI_")));

  it("case 21: has the six variables in place of stale ones, and whatever else the runtime has", async () => {
    const rig = await useRig();
    const baseEnv = baseEnvironment({
      ...process.env,
      CNI_NETNS: "/stale",
      CNI_IFNAME: "stale0",
      CNI_NETNS_OVERRIDE: "1",
      INHERITED: "a=b",
    });
    const attachment = rig.attachment({
      args: [
        ["A", "1"],
        ["B", "x;y=z"],
        ["C", ""],
      ],
      searchPath: [rig.plugins.binDir, "/second"],
    });
    await addNetworkList(rig.runtime({ baseEnv }), listOfOne(), attachment, noLimits);
    const { env } = await rig.call("p1 ADD");
    expect(protocol(env)).toEqual({
      CNI_COMMAND: "ADD",
      CNI_CONTAINERID: "cid",
      CNI_NETNS: "/run/netns/x",
      CNI_IFNAME: "eth0",
      CNI_ARGS: "A=1;B=x;y=z;C=",
      CNI_PATH: `${rig.plugins.binDir}:/second`,
    });
    expect(env).toMatchObject({ INHERITED: "a=b", PATH: process.env["PATH"] });
  });

  it("case 22: names no container for GC and STATUS, whose stdin has neither runtimeConfig nor prevResult", async () => {
    const rig = await useRig();
    await rig.plugins.behave("p1", "ADD", { stdout: addressResult("1.1.0") });
    const list = listOfOne({ capabilities: { mac: true } });
    const attachment = rig.attachment({ capabilityArgs: { mac: '"aa"' } });
    await addNetworkList(rig.runtime(), list, attachment, noLimits);
    const valid = [{ containerId: "cid", ifName: "eth0" }];
    const search = { searchPath: [rig.plugins.binDir] };
    await statusNetworkList(rig.runtime(), list, search, noLimits);
    await collectGarbageNetworkList(rig.runtime(), list, valid, search, noLimits, { deleteStale: true });
    const nobody = { CNI_CONTAINERID: "", CNI_NETNS: "", CNI_IFNAME: "", CNI_ARGS: "" };
    for (const command of ["STATUS", "GC"]) {
      const { env } = await rig.call(`p1 ${command}`);
      expect(protocol(env)).toEqual({ CNI_COMMAND: command, CNI_PATH: rig.plugins.binDir, ...nobody });
    }
    expect(await rig.stdin("p1 STATUS")).toEqual({ type: "p1", cniVersion: "1.1.0", name: "net" });
    expect(Object.keys(await rig.stdin("p1 GC")).toSorted()).toEqual([
      "cni.dev/attachments",
      "cni.dev/valid-attachments",
      "cniVersion",
      "name",
      "type",
    ]);
  });

  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const traceOf = (env: Readonly<Record<string, string>>) => [
    env["TRACEPARENT"],
    env["TRACESTATE"],
    env["BAGGAGE"],
  ];

  it.each([
    [{ traceparent, tracestate: "", baggage: "k=v" }, {}, [traceparent, undefined, "k=v"]],
    [
      { traceparent, tracestate: "a=1", baggage: "" },
      { TRACEPARENT: "old" },
      [traceparent, "a=1", undefined],
    ],
    [undefined, {}, [undefined, undefined, undefined]],
    [undefined, { TRACEPARENT: "old", BAGGAGE: "b" }, ["old", undefined, "b"]],
  ])(
    "case 67: has the trace context of the span %j, else what it inherits from %j",
    async (trace, baseEnv, expected) => {
      const rig = await useRig();
      const limits = { ...noLimits, ...(trace === undefined ? {} : { trace }) };
      await addNetworkList(rig.runtime({ baseEnv }), listOfOne(), rig.attachment(), limits);
      expect(traceOf((await rig.call("p1 ADD")).env)).toEqual(expected);
    },
  );
});
