import { describe, expect, it } from "vitest";
import { attachmentOf } from "../../../../src/cli/cni/attachment-of.ts";
import { configurationDirectory, readEnvironment } from "../../../../src/cli/cni/read-environment.ts";

describe("the variables of cnitool", () => {
  it("have its defaults where they are absent", () => {
    expect(readEnvironment({})).toEqual({ capabilityArgs: {}, args: [], ifName: "eth0", searchPath: [] });
    expect(configurationDirectory({})).toBe("/etc/cni/net.d");
    expect(configurationDirectory({ NETCONFPATH: "" })).toBe("/etc/cni/net.d");
  });

  it("keep the order of CNI_ARGS, and a CNI_IFNAME that is set to nothing", () => {
    const { args, ifName } = readEnvironment({ CNI_ARGS: "B=2;A=1;B=3", CNI_IFNAME: "" });

    expect(args).toEqual([
      ["B", "2"],
      ["A", "1"],
      ["B", "3"],
    ]);
    expect(ifName).toBe("");
  });

  it.each(["A", "A=", "=1", "A=1;", ";", "A=b=c", "A=1;;B=2"])("refuse the CNI_ARGS %j", (text) => {
    expect(() => readEnvironment({ CNI_ARGS: text })).toThrow(/^invalid CNI_ARGS pair "/);
  });

  it("keep the text of capability arguments, of equal keys the last, and any key", () => {
    const text = '{"mac":"aa", "x": 12345678901234567890, "mac":null, "__proto__":[1.0]}';

    const { capabilityArgs } = readEnvironment({ CAP_ARGS: text });

    expect(Object.entries(capabilityArgs)).toEqual([
      ["mac", "null"],
      ["x", "12345678901234567890"],
      ["__proto__", "[1.0]"],
    ]);
    expect(readEnvironment({ CAP_ARGS: "null" }).capabilityArgs).toEqual({});
  });

  it.each(["[]", "7", '"x"', "{", "{} x"])("refuse the CAP_ARGS %j", (text) => {
    expect(() => readEnvironment({ CAP_ARGS: text })).toThrow(/^invalid CAP_ARGS: /);
  });

  it("name directories of plugins from here, since plugins run elsewhere", () => {
    const { searchPath } = readEnvironment({ CNI_PATH: "/opt/cni/bin/::plugins" });

    expect(searchPath).toEqual(["/opt/cni/bin/", process.cwd(), `${process.cwd()}/plugins`]);
  });
});

describe("the container ID", () => {
  const environment = readEnvironment({});

  it("is cnitool's", () => {
    expect(attachmentOf("/run/netns/trial", environment).containerId).toBe("cnitool-f6be372913e82091539f");
  });

  it("is that of the namespace, however its path is written", () => {
    const plain = attachmentOf("/run/netns/trial", environment);

    expect(attachmentOf("/run/./netns//x/../trial/", environment)).toEqual(plain);
    expect(attachmentOf("/run/netns/other", environment).containerId).not.toBe(plain.containerId);
  });
});
