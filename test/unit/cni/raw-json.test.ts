import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  assertJson,
  JsonSyntaxError,
  memberText,
  memberTextFold,
  parseRawArray,
  parseRawObject,
  printRawObject,
  withMember,
  withoutMembers,
} from "../../../src/cni/index.ts";

/** JSON text with white space and number forms that `JSON.stringify` would never write. */
const jsonText: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(
      "null",
      "true",
      "false",
      "1.0",
      "1e400",
      "-0",
      "123456789012345678901234567890",
      "0.10E-2",
    ),
    fc.string({ unit: "binary" }).map((text) => JSON.stringify(text)),
    fc.constantFrom('"\\/"', '"\\u0041"', '"\\ud800"', '"\u2028<&>"'),
    fc.array(tie("value")).map((items) => `[ ${items.join(" ,\n")}\t]`),
    fc
      .array(
        fc.tuple(
          fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "", "name")),
          tie("value"),
        ),
      )
      .map(
        (members) => `{ ${members.map(([key, text]) => `${JSON.stringify(key)} : ${text}`).join("\r\n, ")} }`,
      ),
  ),
})).value;

const objectText = fc
  .array(
    fc.tuple(fc.oneof(fc.string({ maxLength: 3 }), fc.constantFrom("__proto__", "a", "A", "name")), jsonText),
  )
  .map((members) => ({
    members,
    text: `{${members.map(([key, value]) => `${JSON.stringify(key)}: ${value}`).join(" , ")}}`,
  }));

describe("raw objects", () => {
  it("keep every key and value text, in order, through parsing and printing", () => {
    fc.assert(
      fc.property(objectText, ({ members, text }) => {
        const object = parseRawObject(text);
        expect(object.members.map(({ key, value }) => [key, value])).toEqual(members);
        expect(parseRawObject(printRawObject(object))).toEqual(object);
      }),
    );
  });

  it("mean to JSON.parse what the text meant", () => {
    fc.assert(
      fc.property(objectText, ({ text }) => {
        expect(JSON.parse(printRawObject(parseRawObject(text)))).toEqual(JSON.parse(text));
      }),
    );
  });

  it("leave all other members untouched when one is set", () => {
    fc.assert(
      fc.property(objectText, fc.string(), jsonText, ({ text }, key, value) => {
        const before = parseRawObject(text);
        const after = parseRawObject(printRawObject(withMember(before, key, value)));
        expect(memberText(after, key)).toBe(value);
        expect(after.members.filter((member) => member.key === key)).toHaveLength(1);
        expect(after.members.filter((member) => member.key !== key)).toEqual(
          before.members.filter((member) => member.key !== key),
        );
      }),
    );
  });

  it("put a member in the place of its first occurrence", () => {
    const object = withMember(parseRawObject('{"a":1,"b":2,"a":3,"c":4}'), "a", "5");
    expect(printRawObject(object)).toBe('{"a":5,"b":2,"c":4}');
  });

  it("append a member that was not there", () => {
    expect(printRawObject(withMember(parseRawObject('{"a":1}'), "__proto__", '{"x":1}'))).toBe(
      '{"a":1,"__proto__":{"x":1}}',
    );
  });

  it("give the last of several equal keys, as Go does", () => {
    expect(memberText(parseRawObject('{"a":1,"a":2}'), "a")).toBe("2");
  });

  it("tell letter case apart unless told otherwise", () => {
    const object = parseRawObject('{"Name":1,"NAME":2,"other":3}');
    expect(memberText(object, "name")).toBeUndefined();
    expect(memberTextFold(object, "name")).toBe("2");
  });

  it.each(["typ\u0130", "t\u0131pe"])("do not fold %s, which Go does not fold either", (key) => {
    expect(memberTextFold(parseRawObject(JSON.stringify({ [key]: 1 })), "type")).toBeUndefined();
  });

  it.each([
    ["di\u017fableCheck", "disableCheck"],
    ["\u212aind", "kind"],
  ])("fold %s to %s as Go does", (key, field) => {
    expect(memberTextFold(parseRawObject(JSON.stringify({ [key]: 1 })), field)).toBe("1");
  });

  it("drop members by key", () => {
    const object = withoutMembers(parseRawObject('{"a":1,"b":2,"a":3}'), (key) => key === "a");
    expect(printRawObject(object)).toBe('{"b":2}');
  });

  it("refuse to hold what is no JSON", () => {
    expect(() => withMember(parseRawObject("{}"), "a", '1,"b":2')).toThrow(JsonSyntaxError);
    expect(() => withMember(parseRawObject("{}"), "a", "")).toThrow(JsonSyntaxError);
  });
});

describe("raw arrays", () => {
  it("give the text of each element", () => {
    expect(parseRawArray(' [ 1.0 , {"a" : 1}, "\\/" ] ')).toEqual(["1.0", '{"a" : 1}', '"\\/"']);
    expect(parseRawArray("[]")).toEqual([]);
  });
});

describe("the scanner", () => {
  it("accepts exactly what JSON.parse accepts", () => {
    const pieces = fc.constantFrom(
      ...'{}[],:"\\ \n\t01-+.eEtruefalsn/ux\u0000é'.split(""),
      '"a"',
      "null",
      "12",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join("");
        expect(accepts(assertJson, text)).toBe(accepts(JSON.parse, text));
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ["", "unexpected end of JSON input"],
    ["tru", "invalid character ' ' in literal true (expecting 'e')"],
    ['{"a"', "unexpected end of JSON input"],
    ['"abc', "unexpected end of JSON input"],
    ["1.", "invalid character ' ' after decimal point in numeric literal"],
    ["-", "invalid character ' ' in numeric literal"],
    ['"\\u00', "invalid character ' ' in \\u hexadecimal character escape"],
    ["{x", "invalid character 'x' looking for beginning of object key string"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":01}', "invalid character '1' after object key:value pair"],
    ["[1,]", "invalid character ']' looking for beginning of value"],
    ["[1 2]", "invalid character '2' after array element"],
    ["{} x", "invalid character 'x' after top-level value"],
    ["\ufeff{}", "invalid character 'ï' looking for beginning of value"],
    ["nul1", "invalid character '1' in literal null (expecting 'l')"],
    ['"\n"', "invalid character '\\n' in string literal"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u00g0"', "invalid character 'g' in \\u hexadecimal character escape"],
    ["-x", "invalid character 'x' in numeric literal"],
    ["1.x", "invalid character 'x' after decimal point in numeric literal"],
    ["1e+", "invalid character ' ' in exponent of numeric literal"],
    ["1ex", "invalid character 'x' in exponent of numeric literal"],
    ["'", "invalid character '\\'' looking for beginning of value"],
    ["// c", "invalid character '/' looking for beginning of value"],
  ])("says of %j what Go says", (text, message) => {
    expect(() => assertJson(text)).toThrow(message);
  });

  it("names offset, line and column of the mistake", () => {
    const error = thrownBy(() => assertJson('{\n  "a": 1,\n  "b": x\n}'));
    expect(error).toMatchObject({ offset: 19, line: 3, column: 8 });
  });

  it("refuses nesting beyond 1000 without exhausting the stack", () => {
    expect(() => assertJson("[".repeat(1000) + "]".repeat(1000))).not.toThrow();
    expect(() => assertJson("[".repeat(1001) + "]".repeat(1001))).toThrow("exceeded max depth");
    expect(() => assertJson('{"a":'.repeat(1_000_000))).toThrow("exceeded max depth");
  });
});

function accepts(parse: (text: string) => unknown, text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

function thrownBy(action: () => void): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return undefined;
}
