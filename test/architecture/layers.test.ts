import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { read, repository, trackedFiles } from "./repository.ts";

interface Cruise {
  readonly modules: readonly { readonly source: string }[];
  readonly summary: {
    readonly totalCruised: number;
    readonly violations: readonly {
      readonly rule: { readonly name: string };
      readonly from: string;
      readonly to: string;
    }[];
  };
}

function cruise(): Cruise {
  const tool = `${repository}node_modules/.bin/depcruise`;
  const args = ["src", "--config", ".dependency-cruiser.cjs", "--output-type", "json"];
  // It exits with the number of violations, which are in what it prints.
  const run = () =>
    execFileSync(tool, args, { cwd: repository, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  try {
    return JSON.parse(run()) as Cruise;
  } catch (error) {
    return JSON.parse((error as { stdout: string }).stdout) as Cruise;
  }
}

describe("layers", () => {
  it("hold, and the tool saw every source file", { timeout: 60_000 }, () => {
    const { modules, summary } = cruise();
    const seen = new Set(modules.map((module) => module.source));
    const sources = trackedFiles().filter((file) => /^src\/.*\.ts$/.test(file));

    expect(summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`)).toEqual([]);
    expect(summary.totalCruised).toBeGreaterThanOrEqual(50);
    expect(sources.filter((file) => !seen.has(file))).toEqual([]);
  });

  it("no file is longer than 300 lines, and half of them are shorter than 80", () => {
    const lengths = trackedFiles()
      .filter((file) => /^src\/.*\.ts$/.test(file))
      .map((file) => ({ file, lines: read(file).split("\n").length - 1 }))
      .toSorted((a, b) => a.lines - b.lines);

    expect(lengths.filter(({ lines }) => lines > 300)).toEqual([]);
    expect(lengths[Math.floor(lengths.length / 2)]?.lines).toBeLessThan(80);
  });

  it("no folder is a drawer for odds and ends", () => {
    const drawers = /(^|[/-])(utils?|helpers?|managers?|misc|common)([./-]|$)/;
    const names = trackedFiles().filter((file) => /^(src|test)\//.test(file) && drawers.test(file));

    expect(names).toEqual([]);
  });

  it("no machine's path, registry or secret is committed", () => {
    const texts = trackedFiles().filter((file) =>
      /\.(ts|mjs|md|ya?ml|json|rs|toml|sh)$|file$|Makefile$/.test(file),
    );
    // In pieces, so that this file holds none of them either.
    const machinePaths = ["main", "shared"].map((folder) => ["", "work", folder].join("/"));
    const hosts = ["ghcr", "docker", "quay"].map((name) => [name, "io"].join("."));
    const unwanted = [...machinePaths, ...hosts, ["registry", "npm"].join(".")];
    const guilty = texts.filter((file) => unwanted.some((text) => read(file).includes(text)));

    expect(guilty).toEqual([]);
  });
});
