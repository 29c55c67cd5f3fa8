import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** One row of a table, by the text of its column's heading; code marks are taken off. */
export type TableRow = Readonly<Record<string, string>>;

/** The table between `<!-- name -->` and `<!-- /name -->` of a document of this repository. */
export function documentedTable(document: string, name: string): readonly TableRow[] {
  const text = readFileSync(fileURLToPath(new URL(`../../${document}`, import.meta.url)), "utf8");
  const [, section] = new RegExp(`<!-- ${name} -->\n([^]*?)<!-- /${name} -->`).exec(text) ?? [];
  if (section === undefined) throw new Error(`${document} has no table ${name}`);
  const [head = [], , ...rows] = section.trim().split("\n").map(cellsOf);
  return rows.map((cells) => Object.fromEntries(head.map((title, index) => [title, cells[index] ?? ""])));
}

function cellsOf(line: string): readonly string[] {
  const inner = line.trim().replace(/^\|/, "").replace(/\|$/, "");
  return inner.split("|").map((cell) => cell.trim().replace(/^`([^`]*)`$/, "$1"));
}
