import { describe, expect, it } from "vitest";
import { read, trackedFiles } from "./repository.ts";

/** Numbers of the field bugs of DEL; those that are missing belong to other parts. */
const numbers = [
  ..."A01 A02 A03 A04 A05 A06 A07 A08 A09 A11 A12 A13 A14 A15 A16 A17 A19".split(" "),
  ..."A20 A21 A22 A23 A25 A26 A27 A28 A29 A30 A31 A33 A34 A35".split(" "),
];

const rows = [...read("docs/field-bugs.md").matchAll(/^\| (A\d\d) \| (.+) \| (.+) \|$/gm)].map(
  ([, number = "", what = "", tests = ""]) => ({ number, what, cells: tests.split("<br>") }),
);

/** `A17: title` of a row. */
const documented = rows.flatMap(({ number, cells }) =>
  cells.flatMap((cell) => {
    const [, title] = /^`(.+)`$/.exec(cell) ?? [];
    return title === undefined ? [] : [`${number}: ${title}`];
  }),
);

/** The same from the tests' source, for each number of a title. */
function titlesOf(file: string): readonly string[] {
  const literals = read(file).matchAll(/(["'`])(A\d\d(?:, A\d\d)*): ((?:(?!\1).)+)\1/g);
  return [...literals].flatMap(([, , list = "", title = ""]) =>
    list.split(", ").map((number) => `${number}: ${title}`),
  );
}

describe("docs/field-bugs.md", () => {
  it("has a row for every bug, in order", () => {
    expect(rows.map(({ number }) => number)).toEqual(numbers);
  });

  it("names every test of a bug, and no test that is not there", () => {
    const tests = trackedFiles().filter((file) => /^test\/(e2e|integration)\/.*\.test\.ts$/.test(file));
    const found = tests.flatMap(titlesOf);

    expect(documented.length).toBeGreaterThan(40);
    expect(documented.toSorted()).toEqual([...new Set(found)].toSorted());
  });

  it("says of every bug without a test why it has none", () => {
    const silent = rows.filter(
      ({ number, cells }) =>
        !documented.some((title) => title.startsWith(number)) &&
        !cells.some((cell) => cell.startsWith("Not testable yet: ")),
    );

    expect(silent).toEqual([]);
  });
});
