import { describe, expect, it } from "vitest";
import { prepareList } from "../../../src/attachments/prepare-list.ts";
import { networkListText } from "../../../src/cni/index.ts";

function textOf(text: string, name?: string, cniArgs?: string): string {
  return networkListText(prepareList(text, name, cniArgs).list);
}

describe("prepareList", () => {
  it("keeps every byte of what its author wrote: order, unknown keys, numbers, escapes", () => {
    const plugin = '{"type":"a","zz":{"b":9007199254740993,"a":1.0},"u":"\\u00e9\\/","n":1e400}';
    const text = `{"name":"n","x":[1, 2],"cniVersion":"1.0.0","plugins":[${plugin}]}`;

    expect(textOf(text)).toBe(text);
  });

  it("fills a missing or empty name in, and no other", () => {
    expect(prepareList('{"cniVersion":"1.0.0","plugins":[{"type":"a"}]}', "def").list.name).toBe("def");
    expect(prepareList('{"cniVersion":"1.0.0","name":"","plugins":[{"type":"a"}]}', "def").list.name).toBe(
      "def",
    );
    expect(prepareList('{"cniVersion":"1.0.0","type":"a"}', "def").list.name).toBe("def");
    expect(prepareList('{"cniVersion":"1.0.0","name":"own","type":"a"}', "def").list.name).toBe("own");
  });

  it("takes delErrorPolicy out of list and plugins and hands it over", () => {
    const prepared = prepareList(
      '{"cniVersion":"1.0.0","name":"n","delErrorPolicy":"strict","plugins":[{"type":"a"},{"delErrorPolicy":{"mode":"lenient"},"type":"b"}]}',
      undefined,
    );

    expect(prepared.policy).toBe('"strict"');
    expect(prepared.pluginPolicies).toEqual({ 1: '{"mode":"lenient"}' });
    expect(networkListText(prepared.list)).toBe(
      '{"cniVersion":"1.0.0","name":"n","plugins":[{"type":"a"},{"type":"b"}]}',
    );
  });

  it("takes the policy of a single plugin's configuration for that of the list", () => {
    const prepared = prepareList(
      '{"cniVersion":"1.0.0","name":"n","type":"a","delErrorPolicy":"strict"}',
      undefined,
    );

    expect(prepared.policy).toBe('"strict"');
    expect(networkListText(prepared.list)).not.toContain("delErrorPolicy");
  });

  it("merges cni-args into every plugin's args.cni, key by key, with numbers as they were written", () => {
    const text =
      '{"cniVersion":"1.0.0","name":"n","plugins":[{"type":"a","args":{"other":1,"cni":{"x":1,"y":2}}},{"type":"b"}]}';

    const { list } = prepareList(text, undefined, '{"y":9007199254740993,"z":[]}');

    expect(list.plugins.map((plugin) => plugin.text)).toEqual([
      '{"type":"a","args":{"other":1,"cni":{"x":1,"y":9007199254740993,"z":[]}}}',
      '{"type":"b","args":{"cni":{"y":9007199254740993,"z":[]}}}',
    ]);
  });

  it("refuses cni-args where args is no object", () => {
    expect(() => prepareList('{"name":"n","plugins":[{"type":"a","args":[]}]}', undefined, "{}")).toThrow(
      /args/,
    );
  });

  it.each([
    "",
    "[]",
    "null",
    "{",
    '{"name":"n","plugins":{}}',
    '{"name":"n","plugins":[1]}',
    '{"name":"n","plugins":[]}',
  ])("refuses %j", (text) => {
    expect(() => prepareList(text, "def")).toThrow();
  });
});
