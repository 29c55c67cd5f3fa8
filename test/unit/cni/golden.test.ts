import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { convertResult, parseNetworkList, parseResult, printResult } from "../../../src/cni/index.ts";

interface Conversion {
  readonly input: unknown;
  readonly target: string;
  readonly output?: unknown;
  readonly error?: string;
}

interface ListParse {
  readonly input: string;
  readonly error?: string;
  readonly name?: string;
  readonly cniVersion?: string;
  readonly disableCheck?: boolean;
  readonly loadOnlyInlinedPlugins?: boolean;
  readonly plugins?: readonly unknown[];
}

const golden = JSON.parse(
  readFileSync(new URL("../../fixtures/cni-golden.json", import.meta.url), "utf8"),
) as {
  readonly resultConversions: readonly Conversion[];
  readonly confListParsing: readonly ListParse[];
};

function convert(vector: Conversion): { readonly output?: unknown; readonly error?: string } {
  try {
    const result = convertResult(parseResult(JSON.stringify(vector.input)), vector.target);
    return { output: JSON.parse(printResult(result)) };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

function parse(vector: ListParse): Omit<ListParse, "input"> {
  try {
    const list = parseNetworkList(vector.input);
    return {
      ...(list.name === "" ? {} : { name: list.name }),
      ...(list.cniVersion === "" ? {} : { cniVersion: list.cniVersion }),
      ...(list.disableCheck ? { disableCheck: true } : {}),
      ...(list.loadOnlyInlinedPlugins ? { loadOnlyInlinedPlugins: true } : {}),
      ...(list.plugins.length === 0 ? {} : { plugins: list.plugins.map(({ text }) => JSON.parse(text)) }),
    };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

describe("vectors made by the real libcni", () => {
  it("are all there", () => {
    expect(golden.resultConversions).toHaveLength(207);
    expect(golden.confListParsing).toHaveLength(42);
  });

  it.each(golden.resultConversions.map((vector, index) => ({ index, vector })))(
    "converts result $index to $vector.target as libcni does",
    ({ vector }) => {
      const { input: _input, target: _target, ...expected } = vector;
      expect(convert(vector)).toEqual(expected);
    },
  );

  it.each(golden.confListParsing)("parses list $input as libcni does", (vector) => {
    const { input: _input, ...expected } = vector;
    expect(parse(vector)).toEqual(expected);
  });
});
