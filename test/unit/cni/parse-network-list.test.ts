import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  InvalidNetworkConfigError,
  type NetworkList,
  networkListText,
  parseNetworkList,
  parseNetworkListOrPlugin,
  parsePluginConfiguration,
} from "../../../src/cni/index.ts";
import { hostileJson } from "./hostile-json.ts";

function parse(list: Record<string, unknown>): NetworkList {
  return parseNetworkList(JSON.stringify({ name: "n", plugins: [{ type: "b" }], ...list }));
}

describe("a network configuration list", () => {
  it("case 1: has no plugins where the text has no such key", () => {
    expect(parseNetworkList('{"name":"n"}').plugins).toEqual([]);
  });

  it("case 2: has keys of its own with their letter case, and of plugins without", () => {
    expect(() => parseNetworkList('{"Name":"n","plugins":[{"type":"x"}]}')).toThrow("no name");
    expect(parseNetworkList('{"name":"n","plugins":[{"Type":"x"}]}').plugins[0]?.type).toBe("x");
  });

  it.each([
    [[], "no plugins in list"],
    [null, "invalid 'plugins' type <nil>"],
    [{}, "invalid 'plugins' type map[string]interface {}"],
    [[{ type: "a" }, {}], "failed to parse plugin config 1: error parsing configuration: missing 'type'"],
    [["x"], "failed to parse plugin config 0: error parsing configuration: json: cannot unmarshal string"],
  ])("case 3: refuses plugins %j and names the index where there is one", (plugins, message) => {
    expect(() => parse({ plugins })).toThrow(message);
  });

  it("case 4: has capabilities that are booleans", () => {
    expect(() => parse({ plugins: [{ type: "b", capabilities: { a: "true" } }] })).toThrow("of type bool");
    const { plugins } = parse({ plugins: [{ type: "b", capabilities: { a: true, b: false } }] });
    expect(plugins[0]?.capabilities).toEqual({ a: true, b: false });
  });

  it("keeps a capability named __proto__ as a key like any other", () => {
    const { capabilities } = parsePluginConfiguration('{"type":"b","capabilities":{"__proto__":true}}');
    expect(Object.entries(capabilities)).toEqual([["__proto__", true]]);
    expect(Object.getPrototypeOf(capabilities)).toBe(Object.prototype);
  });

  it.each([
    [{ cniVersions: ["1.1.0", "0.4.0", "1.0.0"] }, "1.1.0"],
    [{ cniVersions: ["1.1.0", "0.4.0", "99.0.0"] }, "1.1.0"],
    [{ cniVersions: ["0.1.0", "0.4.0"], cniVersion: "1.0.0" }, "1.0.0"],
    [{ cniVersions: ["0.10.0", "0.4.0"] }, "0.10.0"],
  ])("case 5: %j speaks the highest version that is known, %j", (list, version) => {
    expect(parse(list).cniVersion).toBe(version);
  });

  it.each([
    [{ cniVersions: ["9.0.0"] }, ""],
    [{ cniVersions: ["9.0.0"], cniVersion: "0.4.0" }, "0.4.0"],
    [{ cniVersions: ["9.0.0"], cniVersion: "9.0.0" }, "9.0.0"],
  ])("case 6: %j, whose cniVersions are all unknown, speaks cniVersion %j", (list, version) => {
    expect(parse(list).cniVersion).toBe(version);
  });

  it("case 7: takes a cniVersion alone as it stands", () => {
    expect(parse({ cniVersion: "1.2.3" }).cniVersion).toBe("1.2.3");
  });

  it.each([
    [
      ["0.4.0", "1.0.f"],
      'invalid cniVersions entry 1.0.f at index 1: failed to convert micro version part "f"',
    ],
    [["1.1.0-rc1"], "invalid cniVersions entry 1.1.0-rc1 at index 0"],
    [["1.2.3.4"], 'invalid version "1.2.3.4": too many parts'],
    [["99999999999999999999"], "value out of range"],
  ])("case 7: refuses cniVersions %j", (cniVersions, message) => {
    expect(() => parse({ cniVersions })).toThrow(message);
  });

  it.each(["disableCheck", "disableGC", "loadOnlyInlinedPlugins"])(
    "case 8: reads %s in all its forms",
    (key) => {
      const field = key === "disableGC" ? "disableGc" : (key as keyof NetworkList);
      expect(parse({})[field]).toBe(false);
      expect(parse({ [key]: true })[field]).toBe(true);
      expect(parse({ [key]: "TRUE" })[field]).toBe(true);
      expect(parse({ [key]: "False" })[field]).toBe(false);
      expect(() => parse({ [key]: "1" })).toThrow(`invalid value "1" for ${key}`);
      expect(() => parse({ [key]: 1 })).toThrow(`invalid type float64 for ${key}`);
      expect(() => parse({ [key]: null })).toThrow(`invalid type <nil> for ${key}`);
    },
  );

  it("is refused with the position of a syntax error in the details", () => {
    expect(() => parseNetworkList('{"name":"n",\n"plugins":[{]}')).toThrow(
      expect.objectContaining({ code: 7, details: "line 2, column 13" }),
    );
  });

  it.each(["{} {}", "\ufeff{}", '{"name":"n"} // c', "[]", "1", '"x"', "\u0000"])("is not %j", (text) => {
    expect(() => parseNetworkList(text)).toThrow(InvalidNetworkConfigError);
  });

  it("takes the last of equal keys", () => {
    expect(parseNetworkList('{"name":"a","name":"b"}').name).toBe("b");
    expect(parsePluginConfiguration('{"type":"a","type":"b"}').type).toBe("b");
  });

  it("takes the key in lower case of several that differ in letter case, since libcni sorts them first", () => {
    const typeOf = (plugin: string) =>
      parseNetworkList(`{"name":"n","plugins":[${plugin}]}`).plugins[0]?.type;

    expect(typeOf('{"type":"a","TYPE":"b"}')).toBe("a");
    expect(typeOf('{"type":null,"TYPE":"b"}')).toBe("b");
    expect(() => typeOf('{"type":"a","type":null}')).toThrow("missing 'type'");
  });

  it("takes the last key of a single plugin that is not null, since libcni reads that as it stands", () => {
    expect(parsePluginConfiguration('{"type":"a","TYPE":"b"}').type).toBe("b");
    expect(parsePluginConfiguration('{"type":"a","name":"n","Name":"m","name":null}').name).toBe("m");
    expect(parsePluginConfiguration('{"type":"a","type":null}').type).toBe("a");
  });

  it("reads a single plugin again as the element of the list that is made of it", () => {
    const list = parseNetworkListOrPlugin(
      '{"type":"a","TYPE":"b","name":"n","Name":"m","cniVersion":"1.0.0"}',
    );

    expect(list).toMatchObject({ name: "m", plugins: [{ type: "a", name: "n" }] });
    expect(() => parseNetworkListOrPlugin('{"type":"a","type":null}')).toThrow("missing 'type'");
  });

  it("keeps a plugin's text as its author wrote it", () => {
    const plugin =
      '{ "type":"b", "n":12345678901234567890, "f":1.0, "e":1e400, "s":"\\/<", "__proto__":{"a":1} }';
    expect(parseNetworkList(`{"name":"n","plugins":[ ${plugin} ]}`).plugins[0]?.text).toBe(plugin);
  });

  it("never ends otherwise than with a list or an InvalidNetworkConfigError, whatever the text is", () => {
    const keys = [
      "name",
      "plugins",
      "cniVersion",
      "cniVersions",
      "disableCheck",
      "type",
      "capabilities",
      "dns",
      "ipam",
    ];
    const value = hostileJson(keys);
    const text = fc.oneof(
      fc.string(),
      value.map((json) => JSON.stringify(json)),
      fc
        .tuple(value, fc.array(value, { maxLength: 2 }))
        .map(([list, plugins]) => JSON.stringify({ name: "n", ...(list as object), plugins })),
    );
    fc.assert(
      fc.property(text, (input) => {
        try {
          parseNetworkListOrPlugin(input);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidNetworkConfigError);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("a text that may be a list or a plugin", () => {
  it("is a list if it has plugins", () => {
    expect(
      parseNetworkListOrPlugin('{"name":"n","plugins":[{"type":"a"},{"type":"b"}]}').plugins,
    ).toHaveLength(2);
  });

  it("is else a plugin that becomes a list of one with its name and version, byte for byte", () => {
    const text = '{"type":"b", "name":"s","big":12345678901234567890}';
    const list = parseNetworkListOrPlugin(text);
    expect(list).toMatchObject({ name: "s", cniVersion: "", plugins: [{ type: "b", text }] });
    expect(parseNetworkList(list.text)).toEqual(list);
  });

  it("is taken as deep as it can be read back in a list of one, and no deeper", () => {
    const single = (depth: number) => `{"name":"n","type":"b","a":${"[".repeat(depth)}${"]".repeat(depth)}}`;
    const list = parseNetworkListOrPlugin(single(997));
    expect(parseNetworkList(networkListText(list))).toEqual({ ...list, text: networkListText(list) });
    expect(() => parseNetworkListOrPlugin(single(998))).toThrow(
      expect.objectContaining({
        name: "InvalidNetworkConfigError",
        message: expect.stringContaining("max depth"),
      }),
    );
  });

  it("has list flags inside a plugin without effect", () => {
    expect(parseNetworkListOrPlugin('{"type":"b","name":"s","disableCheck":true}').disableCheck).toBe(false);
  });
});

describe("the text of a whole list", () => {
  it("is the list's own text where no plugin dropped in", () => {
    const text = '{ "name" : "n", "plugins" : [ {"type":"a"} ] }';
    expect(networkListText(parseNetworkList(text))).toBe(text);
  });

  it("has drop-in plugins byte for byte, and reads back to the same plugins", () => {
    const list = parseNetworkList('{"name":"n","x":1.0,"plugins":[ {"type":"a"} ]}');
    const dropIn = parsePluginConfiguration('{"type":"d", "n":1e400}');
    const whole = { ...list, plugins: [...list.plugins, dropIn] };
    const again = parseNetworkList(networkListText(whole));
    expect(again.plugins).toEqual(whole.plugins);
    expect(again.text).toContain('"x":1.0');
  });
});
