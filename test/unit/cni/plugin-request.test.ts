import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  buildPluginRequest,
  memberText,
  parsePluginConfiguration,
  parseRawObject,
  parseResult,
  type RequestFacts,
} from "../../../src/cni/index.ts";

import { hostileJson } from "./hostile-json.ts";

const list = { name: "net", cniVersion: "1.1.0" };

function build(plugin: string, facts: RequestFacts = {}): string {
  return buildPluginRequest(list, parsePluginConfiguration(plugin), facts);
}

describe("what a plugin gets on stdin", () => {
  it("case 16: is what its author wrote, in that order, with name and version of the list", () => {
    const plugin =
      '{"cniVersion":"0.1.0","type":"b","name":"own","n":12345678901234567890,"f":1.0,"e":1e400,"s":"\\/"}';
    expect(build(plugin)).toBe(
      '{"cniVersion":"1.1.0","type":"b","name":"net","n":12345678901234567890,"f":1.0,"e":1e400,"s":"\\/"}',
    );
  });

  it("has name and version appended where the author wrote none", () => {
    expect(build('{"type":"b"}')).toBe('{"type":"b","cniVersion":"1.1.0","name":"net"}');
  });

  it("has an empty version if the list has none", () => {
    const plugin = parsePluginConfiguration('{"type":"b","cniVersion":"1.0.0"}');
    expect(JSON.parse(buildPluginRequest({ name: "n", cniVersion: "" }, plugin)).cniVersion).toBe("");
  });

  it("has our keys after the author's variants in letter case, since Go takes the last one", () => {
    const request = build('{"name":"a","type":"b","Name":"c","CNIVERSION":"0.1.0"}');
    const last = parseRawObject(request).members.slice(-2);
    expect(last.map(({ key }) => key)).toEqual(["cniVersion", "name"]);
  });

  it("leaves the text of every other key untouched, whatever it is", () => {
    const key = fc.string({ maxLength: 4 }).filter((text) => !/^(type|name|dns|ipam)$/i.test(text));
    fc.assert(
      fc.property(fc.dictionary(key, hostileJson(["a"])), (members) => {
        const text = JSON.stringify({ ...members, type: "b" });
        const before = parseRawObject(text);
        const after = parseRawObject(build(text));
        for (const { key, value } of before.members) expect(memberText(after, key)).toBe(value);
        expect(after.members).toHaveLength(before.members.length + 2);
      }),
    );
  });

  it("case 17: has prevResult as it is given", () => {
    const prevResult = parseResult('{"cniVersion":"1.1.0","ips":[{"address":"10.0.0.1/8"}],"extra":1}');
    const request = JSON.parse(build('{"type":"b"}', { prevResult }));
    expect(request.prevResult).toEqual({ cniVersion: "1.1.0", ips: [{ address: "10.0.0.1/8" }] });
  });

  it("case 18: has the arguments of those capabilities that it has switched on", () => {
    const plugin = '{"type":"b","capabilities":{"mac":true,"off":false,"none":true}}';
    const capabilityArgs = { mac: '"aa:bb"', off: "1", other: "2" };
    expect(JSON.parse(build(plugin, { capabilityArgs })).runtimeConfig).toEqual({ mac: "aa:bb" });
  });

  it("case 18: has no runtimeConfig without such an argument, but keeps the author's", () => {
    expect(JSON.parse(build('{"type":"b","capabilities":{"mac":true}}')).runtimeConfig).toBeUndefined();
    expect(JSON.parse(build('{"type":"b","runtimeConfig":{"a":1}}')).runtimeConfig).toEqual({ a: 1 });
  });

  it("case 19: has null arguments too, exact numbers, and replaces the author's runtimeConfig", () => {
    const plugin = '{"type":"b","runtimeConfig":{"old":1},"capabilities":{"ips":true,"big":true}}';
    const request = build(plugin, { capabilityArgs: { ips: "null", big: "12345678901234567890" } });
    expect(memberText(parseRawObject(request), "runtimeConfig")).toBe(
      '{"ips":null,"big":12345678901234567890}',
    );
  });

  it("has no argument that is no JSON", () => {
    const plugin = '{"type":"b","capabilities":{"mac":true}}';
    expect(() => build(plugin, { capabilityArgs: { mac: '1},"x":{' } })).toThrow(
      expect.objectContaining({ code: 7, message: expect.stringContaining('argument of capability "mac"') }),
    );
  });

  const reserved =
    '{"type":"b","capabilities":{"a":true},"cni.dev/foo":1,"prevResult":{"old":1},"PrevResult":{},"args":{"x":1}}';

  it("case 20: has no capabilities, cni.dev keys or prevResult of the file (deviation 12)", () => {
    expect(Object.keys(JSON.parse(build(reserved)))).toEqual(["type", "args", "cniVersion", "name"]);
  });

  it("case 20: has them all in libcni's manner", () => {
    const request = JSON.parse(build(reserved, { passReservedKeys: true }));
    expect(request).toMatchObject({ capabilities: { a: true }, "cni.dev/foo": 1, prevResult: { old: 1 } });
  });

  it("has valid attachments under both names, as a list even if empty", () => {
    const attachments = [{ containerId: "c", ifName: "eth0" }];
    const plugin = '{"type":"b","cni.dev/attachments":"stale"}';
    const request = JSON.parse(build(plugin, { validAttachments: attachments }));
    expect(request["cni.dev/valid-attachments"]).toEqual([{ containerID: "c", ifname: "eth0" }]);
    expect(request["cni.dev/attachments"]).toEqual(request["cni.dev/valid-attachments"]);
    expect(JSON.parse(build('{"type":"b"}', { validAttachments: [] }))["cni.dev/attachments"]).toEqual([]);
  });
});
