import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import {
  addNetworkList,
  CniError,
  checkNetworkList,
  createResultCache,
  findPlugin,
  parseNetworkList,
  parseResult,
  writeFileDurably,
} from "../../../src/cni/index.ts";
import { exits, fails, noLimits, ScriptedPlugins, timesOut } from "./scripted-plugins.ts";
import { makeTemporaryDirectory } from "./temporary-directory.ts";

async function codeOf(action: () => unknown): Promise<number | undefined> {
  try {
    await action();
    return undefined;
  } catch (error) {
    return error instanceof CniError ? error.code : undefined;
  }
}

describe("where we do otherwise than libcni", () => {
  it("deviation 21: what is found out here has a code that says what to do about it", async () => {
    const directory = await makeTemporaryDirectory();
    await mkdir(join(directory, "results"));
    await writeFile(join(directory, "results", "net-cid-eth0"), "garbage");
    const cache = createResultCache(directory, writeFileDurably);
    const plugins = await ScriptedPlugins.create(
      { "p1 ADD": timesOut(1), "p2 ADD": exits(0, { stdout: "[]" }), "p1 CHECK": fails(0, "m") },
      ["p3"],
    );
    const attachment = plugins.attachment();
    const list = (type: string, cniVersion = "1.1.0") =>
      parseNetworkList(JSON.stringify({ name: "net", cniVersion, plugins: [{ type }] }));
    const add =
      (type: string, ids = {}) =>
      async () =>
        await addNetworkList(plugins.runtime(), list(type), { ...attachment, ...ids }, noLimits);
    const check = (cniVersion: string, prevResult: "from-cache" | undefined) => async () =>
      await checkNetworkList(
        plugins.runtime({ cache }),
        list("p1", cniVersion),
        attachment,
        prevResult,
        noLimits,
      );

    expect(await codeOf(check("0.3.1", undefined))).toBe(1);
    expect(await codeOf(() => parseResult('{"cniVersion":"9.0.0"}'))).toBe(1);
    expect(await codeOf(add("p1", { containerId: "" }))).toBe(3);
    expect(await codeOf(add("p1", { ifName: "" }))).toBe(4);
    expect(await codeOf(check("1.1.0", "from-cache"))).toBe(5);
    expect(await codeOf(add("p2"))).toBe(6);
    expect(await codeOf(add("p3"))).toBe(7);
    expect(await codeOf(() => parseNetworkList("{"))).toBe(7);
    expect(await codeOf(add("p1"))).toBe(11);
    expect(await codeOf(check("1.1.0", undefined))).toBe(0);
  });

  it("deviation 22: of several values of the wrong type the first in the text is named", () => {
    const ips = '"ips":[{"address":"x"}]';
    const interfaces = '"interfaces":[{"name":7}]';
    const read = (...members: readonly string[]) => parseResult(`{"cniVersion":"1.1.0",${members.join()}}`);
    expect(() => read(ips, interfaces)).toThrow("invalid CIDR address: x");
    expect(() => read(interfaces, ips)).toThrow("cannot unmarshal number into Go struct field");
  });

  it("deviation 23: an empty element of the search path is the working directory, or the root that is given", async () => {
    const root = await makeTemporaryDirectory();
    await writeFile(join(root, "package.json"), "");
    expect(await findPlugin("package.json", ["/nowhere", ""])).toBe(resolve("package.json"));
    expect(await findPlugin("package.json", ["/nowhere", ""], root)).toBe("/package.json");
    await expect(findPlugin("biome.json", [""], root)).rejects.toThrow("failed to find plugin");
  });
});
