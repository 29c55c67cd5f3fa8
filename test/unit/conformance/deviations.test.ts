import { describe, expect, it } from "vitest";
import { compareObservations } from "../../conformance/compare/compare-observations.ts";
import { explain } from "../../conformance/deviations/explain.ts";
import type { Observation } from "../../conformance/run/observation.ts";
import type { Verb } from "../../conformance/scenario.ts";
import { callWith, files, observe, scenario } from "./observations.ts";

/** Numbers of the deviations that all differences are due to; `undefined` for one that is nobody's. */
function explained(
  verb: Verb,
  upstream: Partial<Observation>,
  ours: Partial<Observation>,
): readonly (number | undefined)[] {
  const [theirs, our] = [observe(upstream), observe(ours)];
  const context = { scenario, step: { verb, before: [] }, upstream: theirs, ours: our };
  return compareObservations(theirs, our).map((difference) => explain(difference, context)?.number);
}

function addWith(stdin: string): Partial<Observation> {
  return { calls: [callWith(stdin)] };
}

describe("deviation 12", () => {
  it("lets reserved keys go, if they come from the file with that value", () => {
    expect(explained("add", addWith('{"capabilities":{"mac":true}}'), addWith("{}"))).toEqual([12]);
    expect(explained("add", addWith('{"capabilities":{"mac":false}}'), addWith("{}"))).toEqual([undefined]);
    expect(explained("add", addWith('{"n":1}'), addWith("{}"))).toEqual([undefined]);
    expect(explained("add", addWith("{}"), addWith('{"capabilities":{"mac":true}}'))).toEqual([undefined]);
  });
});

describe("deviation 16", () => {
  it("lets a number keep its text, if somebody wrote it so", () => {
    expect(explained("add", addWith('{"n":1}'), addWith('{"n":1.0}'))).toEqual([16]);
    expect(explained("add", addWith('{"n":1}'), addWith('{"n":1.00}'))).toEqual([undefined]);
    expect(explained("add", addWith('{"n":2}'), addWith('{"n":1.0}'))).toEqual([undefined]);
  });
});

describe("deviation 7", () => {
  const old = '"ips":[{"version":"4","address":"10.0.0.1/8"}],"dns":{}';

  it("lets a prevResult of ADD be converted to the list's version, and to no other", () => {
    const upstream = addWith(`{"cniVersion":"1.0.0","prevResult":{"cniVersion":"0.4.0",${old}}}`);
    const ours = (result: string) => addWith(`{"cniVersion":"1.0.0","prevResult":${result}}`);

    expect(
      explained("add", upstream, ours('{"cniVersion":"1.0.0","ips":[{"address":"10.0.0.1/8"}]}')),
    ).toEqual([7]);
    expect(
      explained("add", upstream, ours('{"cniVersion":"1.0.0","ips":[{"address":"10.0.0.2/8"}]}')),
    ).toEqual([undefined]);
    expect(explained("add", upstream, ours(`{"cniVersion":"0.3.1",${old}}`))).toEqual([undefined]);
    expect(
      explained("check", upstream, ours('{"cniVersion":"1.0.0","ips":[{"address":"10.0.0.1/8"}]}')),
    ).toEqual([undefined]);
  });
});

describe("deviations 2 and 3", () => {
  const name = "net1-c1-eth0";
  const del = { command: "DEL" } as const;

  it("let DEL be without the empty result that libcni makes of a file that is no record, and of no other", () => {
    const upstream = { calls: [callWith('{"prevResult":{"cniVersion":"1.0.0"}}', del)] };
    const ours = { calls: [callWith("{}", del)] };

    expect(explained("del", upstream, { ...ours, filesBefore: files({ [name]: "{}" }) })).toEqual([2]);
    const bare = files({ [name]: '{"cniVersion":"1.0.0"}' });
    expect(explained("del", upstream, { ...ours, filesBefore: bare })).toEqual([undefined]);
  });

  it("let the corrupt file stay after a DEL that failed, not after one that succeeded", () => {
    const left = { filesBefore: files({ [name]: "{" }), filesAfter: files({ [name]: "{" }) };
    const upstream = { filesBefore: files({ [name]: "{" }), filesAfter: files({}) };

    expect(explained("del", { ...upstream, exit: 1 }, { ...left, exit: 1 })).toEqual([3]);
    expect(explained("del", upstream, left)).toEqual([undefined]);
  });
});

describe("a difference that is nobody's", () => {
  it("is one in what was called, in the exit code, or in what was printed", () => {
    expect(explained("del", { exit: 0 }, { exit: 1 })).toEqual([undefined]);
    expect(explained("add", addWith("{}"), { calls: [] })).toEqual([undefined]);
    expect(explained("add", { stdout: "{}" }, { stdout: "" })).toEqual([undefined]);
  });
});
