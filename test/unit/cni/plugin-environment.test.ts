import { describe, expect, it } from "vitest";
import {
  addNetworkList,
  baseEnvironment,
  parseNetworkList,
  statusNetworkList,
} from "../../../src/cni/index.ts";
import { noLimits, ScriptedPlugins } from "./scripted-plugins.ts";

describe("a plugin's environment", () => {
  it("case 21: has the six variables in place of the runtime's own, and everything else that the runtime has", async () => {
    const plugins = await ScriptedPlugins.create();
    const runtime = plugins.runtime({ baseEnv: { HTTP_PROXY: "p", CNI_NETNS: "stale", CNI_EXTRA: "kept" } });
    const attachment = plugins.attachment({
      args: [
        ["A", "1"],
        ["B", "x;y=z"],
        ["C", ""],
      ],
      searchPath: [plugins.directory, "/second"],
    });
    await addNetworkList(runtime, parseNetworkList(ScriptedPlugins.listText()), attachment, noLimits);
    expect(plugins.runs[0]?.invocation.env).toEqual({
      HTTP_PROXY: "p",
      CNI_EXTRA: "kept",
      CNI_COMMAND: "ADD",
      CNI_CONTAINERID: "cid",
      CNI_NETNS: "/run/netns/x",
      CNI_IFNAME: "eth0",
      CNI_ARGS: "A=1;B=x;y=z;C=",
      CNI_PATH: `${plugins.directory}:/second`,
    });
    expect(plugins.runs[0]?.invocation.owner).toBe("cid");
  });

  it("case 22: names no container for STATUS", async () => {
    const plugins = await ScriptedPlugins.create();
    const list = parseNetworkList(ScriptedPlugins.listText());
    await statusNetworkList(plugins.runtime(), list, { searchPath: [plugins.directory] }, noLimits);
    expect(plugins.runs[0]?.invocation.env).toEqual({
      CNI_COMMAND: "STATUS",
      CNI_CONTAINERID: "",
      CNI_NETNS: "",
      CNI_IFNAME: "",
      CNI_ARGS: "",
      CNI_PATH: plugins.directory,
    });
  });

  it("case 67: has the trace context of a span, its optional parts only if there", async () => {
    const plugins = await ScriptedPlugins.create();
    const list = parseNetworkList(ScriptedPlugins.listText());
    const search = { searchPath: [plugins.directory] };
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const trace = { traceparent, tracestate: "", baggage: "k=v" };
    await statusNetworkList(plugins.runtime(), list, search, { ...noLimits, trace });
    const env = plugins.runs[0]?.invocation.env;
    expect(env).toMatchObject({ TRACEPARENT: traceparent, BAGGAGE: "k=v" });
    expect(env).not.toHaveProperty("TRACESTATE");
  });

  it("cannot have a NUL, and no plugin runs then", async () => {
    const plugins = await ScriptedPlugins.create();
    const list = parseNetworkList(ScriptedPlugins.listText());
    const adding = addNetworkList(plugins.runtime(), list, plugins.attachment({ netns: "/a\0b" }), noLimits);
    await expect(adding).rejects.toMatchObject({ code: 4, details: "CNI_NETNS", tried: [] });
    expect(plugins.runs).toEqual([]);
  });
});

describe("the environment that a runtime hands on", () => {
  it("has neither variables of another CNI call nor another request's trace", () => {
    expect(
      baseEnvironment({
        PATH: "/bin",
        EMPTY: "",
        GONE: undefined,
        CNI_COMMAND: "ADD",
        CNI_NETNS_OVERRIDE: "1",
        TRACEPARENT: "t",
        TRACESTATE: "s",
        BAGGAGE: "b",
      }),
    ).toEqual({ PATH: "/bin", EMPTY: "" });
  });
});
