import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { read, repository } from "./repository.ts";

interface Copy {
  readonly stage: string;
  readonly from: string | undefined;
  readonly sources: readonly string[];
}

interface Dockerfile {
  /** Stage name to what it is made from, in order. */
  readonly stages: ReadonlyMap<string, string>;
  readonly copies: readonly Copy[];
}

function parse(text: string): Dockerfile {
  const stages = new Map<string, string>();
  const copies: Copy[] = [];
  let stage = "";
  for (const line of text.split("\n")) {
    const [instruction = "", ...words] = line.trim().split(/\s+/);
    if (instruction === "FROM") {
      stage = words[2] ?? "";
      stages.set(stage, words[0] ?? "");
    }
    if (instruction === "COPY") {
      const from = words.find((word) => word.startsWith("--from="))?.slice("--from=".length);
      copies.push({ stage, from, sources: words.filter((word) => !word.startsWith("--")).slice(0, -1) });
    }
  }
  return { stages, copies };
}

const text = read("Dockerfile");
const { stages, copies } = parse(text);
const ignored = read(".dockerignore").trim().split("\n");

describe("Dockerfile", () => {
  it("copies from the repository only what is there and not kept back", () => {
    const sources = copies.filter((copy) => copy.from === undefined).flatMap((copy) => copy.sources);

    expect(sources.length).toBeGreaterThan(5);
    expect(sources.filter((source) => !existsSync(`${repository}${source}`))).toEqual([]);
    expect(sources.filter((source) => ignored.includes(source))).toEqual([]);
  });

  it("names each stage before it copies from it", () => {
    const names = [...stages.keys()];

    for (const { stage, from } of copies) {
      if (from !== undefined) expect(names.indexOf(from)).toBeLessThan(names.indexOf(stage));
    }
    expect(names).toEqual(["toolchain", "modules", "dist", "multusd"]);
  });

  it("ships every artifact that the build makes", () => {
    const shipped = copies
      .filter((copy) => copy.stage === "multusd" && copy.from === "dist")
      .flatMap((copy) => copy.sources)
      .map((source) => source.replace("/src/", ""));

    expect(shipped.toSorted()).toEqual(
      ["dist/lib", "dist/multus-host", "dist/multus-shim", "dist/multusctl", "dist/multusd"].toSorted(),
    );
    expect(shipped.filter((path) => !existsSync(`${repository}${path}`))).toEqual([]);
  });

  it("names no registry, so that a mirror is one argument away", () => {
    const bases = [...text.matchAll(/^ARG BASE_\w+=(.*)$/gm)].map(([, base]) => base ?? "");

    expect(bases).toHaveLength(3);
    expect(bases.filter((base) => base.includes("/"))).toEqual([]);
  });
});
