/** Rows under headings, columns aligned, as kubectl prints them; ends with a newline. */
export function renderTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows].map((row) => row.map(printable));
  const widths = headings.map((_, column) => Math.max(...lines.map((row) => lengthOf(row[column] ?? ""))));
  const print = (row: readonly string[]) =>
    row
      .map((cell, column) => cell + " ".repeat(Math.max(0, (widths[column] ?? 0) - lengthOf(cell))))
      .join("   ")
      .trimEnd();
  return `${lines.map(print).join("\n")}\n`;
}

/** Facts one a line, `name: value`, values aligned; ends with a newline. */
export function renderFacts(facts: readonly (readonly [string, string])[]): string {
  const width = Math.max(0, ...facts.map(([name]) => name.length));
  return facts.map(([name, value]) => `${`${name}:`.padEnd(width + 2)}${printable(value)}\n`).join("");
}

/** An empty cell would shift what a script counts; a plugin's text must not steer the terminal. */
function printable(cell: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
  const visible = cell.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ").trim();
  return visible === "" ? "-" : visible;
}

function lengthOf(cell: string): number {
  return [...cell].length;
}
