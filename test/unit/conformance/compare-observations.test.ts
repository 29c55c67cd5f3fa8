import { describe, expect, it } from "vitest";
import { compareObservations } from "../../conformance/compare/compare-observations.ts";
import { callWith, files, observe } from "./observations.ts";

const record = '{"kind":"cniCacheV1","netns":"/a","result":{"cniVersion":"1.0.0"}}';

describe("two observations of a step", () => {
  it("are the same where only the order of keys, white space and what shells set differ", () => {
    const upstream = observe({ calls: [callWith('{"a":1,"b":[]}')], filesAfter: files({ f: record }) });
    const ours = observe({
      calls: [
        callWith('{ "b":[], "a":1 }', { env: { CNI_COMMAND: "ADD", PWD: "/else", SHLVL: "1" }, pid: 2 }),
      ],
      filesAfter: files({ f: '{"result":{"cniVersion":"1.0.0"},"netns":"/a","kind":"cniCacheV1"}' }),
    });

    expect(compareObservations(upstream, ours)).toEqual([]);
  });

  it.each([
    ["an exit code", { exit: 0 }, { exit: 1 }, ["exit"]],
    ["a byte of stdout", { stdout: "{}" }, { stdout: "{}\n" }, ["stdout"]],
    ["a call that is missing", { calls: [callWith("{}")] }, { calls: [] }, ["calls"]],
    ["a number's text", { calls: [callWith('{"n":1}')] }, { calls: [callWith('{"n":1.0}')] }, ["stdin"]],
    ["a key", { calls: [callWith('{"n":null}')] }, { calls: [callWith("{}")] }, ["stdin"]],
    [
      "a key like any other",
      { calls: [callWith('{"__proto__":1}')] },
      { calls: [callWith("{}")] },
      ["stdin"],
    ],
    [
      "a variable, CNI_ or not",
      { calls: [callWith("{}", { env: { CNI_ARGS: "A=1", X: "1" } })] },
      { calls: [callWith("{}", { env: { CNI_ARGS: "A=2" } })] },
      ["variable", "variable"],
    ],
    ["a file that is left", { filesAfter: files({}) }, { filesAfter: files({ f: record }) }, ["file"]],
    [
      "a field of a record",
      { filesAfter: files({ f: record }) },
      { filesAfter: files({ f: record.replace("/a", "/b") }) },
      ["record"],
    ],
    [
      "permissions",
      { filesAfter: new Map([["f", { text: record, mode: 0o644 }]]) },
      { filesAfter: files({ f: record }) },
      ["mode"],
    ],
  ])("differ in %s", (_what, upstream, ours, kinds) => {
    const differences = compareObservations(observe(upstream), observe(ours));

    expect(differences.map(({ kind }) => kind)).toEqual(kinds);
  });

  it("differ in the order of calls, and what each got is compared all the same", () => {
    const first = callWith('{"n":1}');
    const second = callWith("{}", { type: "beta" });

    const differences = compareObservations(
      observe({ calls: [first, second] }),
      observe({ calls: [second, { ...first, stdin: '{"n":2}' }] }),
    );

    expect(differences.map(({ kind }) => kind)).toEqual(["calls", "stdin"]);
  });

  it("do not differ in what an earlier step left", () => {
    const [theirs, ours] = [files({}), files({ f: record })];
    const upstream = observe({ filesBefore: theirs, filesAfter: theirs });

    expect(compareObservations(upstream, observe({ filesBefore: ours, filesAfter: ours }))).toEqual([]);
  });
});
