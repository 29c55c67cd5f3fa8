import { existsSync, globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { titlesIn } from "./titles.ts";

const unit = titlesIn("unit/cni");
const integration = titlesIn("integration/cni");

const cases = Array.from({ length: 67 }, (_, index) => index + 1);

/** Loading of files and conversions run no plugin. */
const withoutProcesses = new Set([...cases.slice(0, 15), 63, 64, 65, 66]);

function has(titles: readonly string[], number: number): boolean {
  return titles.some((title) => title.startsWith(`case ${number}: `));
}

const repository = new URL("../../../", import.meta.url);
const readme = readFileSync(new URL("src/cni/README.md", repository), "utf8");

interface Deviation {
  readonly number: string;
  /** What the table names as its tests. */
  readonly tests: string;
}

function deviations(): readonly Deviation[] {
  const rows = readme.matchAll(/^\| (\d+) \|.*\| ([^|]+) \|$/gm);
  return [...rows].map(([, number = "", tests = ""]) => ({ number, tests }));
}

/** `case 12`, `"a part of a title"`. */
function namedTests(tests: string): readonly string[] {
  return [...tests.matchAll(/\bcase \d+\b|"[^"]+"/g)].map(([name]) => name);
}

function exists(name: string): boolean {
  const part = name.startsWith('"') ? name.slice(1, -1) : `${name}: `;
  return [...unit, ...integration].some((title) => title.includes(part));
}

describe("the proof of this library", () => {
  it("has a test named by its number for each of the 67 conformance cases", () => {
    expect(cases.filter((number) => !has([...unit, ...integration], number))).toEqual([]);
  });

  it("has one over real processes for each case in which plugins run", () => {
    const missing = cases.filter((number) => !withoutProcesses.has(number) && !has(integration, number));
    expect(missing).toEqual([]);
  });

  it("has every test file that the README names", () => {
    const named = [...readme.matchAll(/`([\w/….-]+\.test\.ts)`/g)].map(([, path = ""]) => path);
    expect(named.length).toBeGreaterThan(30);
    const cwd = repository.pathname;
    const missing = named.filter((path) => {
      const place = path.startsWith("test/") ? path : `test/unit/cni/${path}`;
      return !existsSync(`${cwd}${place}`) && globSync(place.replace("…", "*"), { cwd }).length === 0;
    });
    expect(missing).toEqual([]);
  });

  it("has a test for each deviation, and the README names it", () => {
    const listed = deviations();
    expect(listed.length).toBeGreaterThan(20);
    const unproven = listed.filter(({ tests }) => {
      const names = namedTests(tests);
      return names.length === 0 || !names.every(exists);
    });
    expect(unproven).toEqual([]);
  });
});
