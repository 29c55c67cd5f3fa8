import type { Readable } from "node:stream";

const maxLineLength = 4096;

/** Calls back for each line of a stream; one without an end is cut, so that no writer can fill the memory. */
export function onLine(stream: Readable, take: (line: string) => void): void {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = (lines.pop() ?? "").slice(0, maxLineLength);
    for (const line of lines) take(line.slice(0, maxLineLength));
  });
  stream.on("end", () => {
    if (rest !== "") take(rest);
  });
}
