import { readdirSync, readFileSync } from "node:fs";

/** Titles of tests and suites as they stand in the test files of a folder below `test/`. */
export function titlesIn(folder: string): readonly string[] {
  const directory = new URL(`../../${folder}/`, import.meta.url);
  const files = readdirSync(directory).filter((name) => name.endsWith(".test.ts"));
  return files.flatMap((name) => titlesOf(readFileSync(new URL(name, directory), "utf8")));
}

/** The first text after the parenthesis of `it(`, `describe(`, or that which ends the table of an `it.each(`. */
function titlesOf(source: string): readonly string[] {
  const calls = source.matchAll(/(?:\b(?:it|describe)|\))\(\s*"((?:[^"\\]|\\.)*)",/g);
  return [...calls].map(([, title = ""]) => title);
}
