import { describe, expect, it } from "vitest";
import {
  type NetworkList,
  parseNetworkList,
  pluginVersions,
  validateNetworkList,
} from "../../../src/cni/index.ts";
import { answers, exits, fails, noLimits, ScriptedPlugins } from "./scripted-plugins.ts";

const unknownCommand = "unknown CNI_COMMAND: VERSION";

function listOf(plugins: readonly Record<string, unknown>[] = []): NetworkList {
  return parseNetworkList(ScriptedPlugins.listText({}, plugins));
}

describe("case 37: VERSION of a plugin", () => {
  async function versions(reaction: ReturnType<typeof exits>) {
    const plugins = await ScriptedPlugins.create({ "p1 VERSION": reaction });
    return await pluginVersions(plugins.runtime(), "p1", { searchPath: [plugins.directory] }, noLimits);
  }

  it("has its exact stdin and its dummies", async () => {
    const answer = answers({ cniVersion: "1.1.0", supportedVersions: ["1.0.0", "9.9"] });
    const plugins = await ScriptedPlugins.create({ "p1 VERSION": answer });
    const search = { searchPath: [plugins.directory] };
    expect(await pluginVersions(plugins.runtime(), "p1", search, noLimits)).toEqual(["1.0.0", "9.9"]);
    expect(plugins.runs[0]?.invocation).toMatchObject({
      stdin: '{"cniVersion":"1.1.0"}',
      env: {
        CNI_COMMAND: "VERSION",
        CNI_CONTAINERID: "",
        CNI_NETNS: "dummy",
        CNI_IFNAME: "dummy",
        CNI_ARGS: "",
        CNI_PATH: "dummy",
      },
    });
  });

  it("takes the answers of old plugins for what they mean", async () => {
    expect(await versions(answers({ cniVersion: "0.2.0" }))).toEqual(["0.1.0", "0.2.0"]);
    expect(await versions(fails(4, unknownCommand))).toEqual(["0.1.0"]);
  });

  it.each([
    [answers("x"), "decoding version info: invalid character 'x'"],
    [answers("{}"), "decoding version info: missing field cniVersion"],
    [answers({ cniVersion: "1.0.0" }), "decoding version info: missing field supportedVersions"],
    [
      answers({ cniVersion: "1.0.0", supportedVersions: "1.0.0" }),
      "decoding version info: json: cannot unmarshal",
    ],
    [fails(4, unknownCommand, "more"), unknownCommand],
    [exits(1, { stderr: unknownCommand }), "netplugin failed"],
  ])("fails for the answer %#", async (reaction, message) => {
    await expect(versions(reaction)).rejects.toThrow(message);
  });
});

describe("case 38: validating a list", () => {
  const supports = (...supportedVersions: string[]) => answers({ cniVersion: "1.1.0", supportedVersions });

  it("reports a missing binary and a version that is not supported in one error", async () => {
    const plugins = await ScriptedPlugins.create(
      { "p1 VERSION": supports("1.1.0"), "p3 VERSION": supports("1.0.0") },
      ["p2"],
    );
    const search = { searchPath: [plugins.directory] };
    await expect(validateNetworkList(plugins.runtime(), listOf(), search, noLimits)).rejects.toThrow(
      `[failed to find plugin "p2" in path [${plugins.directory}] plugin p3 does not support config version "1.1.0"]`,
    );
  });

  it("gives the capabilities that are switched on, each once", async () => {
    const reaction = supports("1.1.0");
    const plugins = await ScriptedPlugins.create({
      "p1 VERSION": reaction,
      "p2 VERSION": reaction,
      "p3 VERSION": reaction,
    });
    const search = { searchPath: [plugins.directory] };
    const list = listOf([{ capabilities: { a: true, b: false } }, { capabilities: { a: true, c: true } }]);
    expect(await validateNetworkList(plugins.runtime(), list, search, noLimits)).toEqual(["a", "c"]);
  });
});
