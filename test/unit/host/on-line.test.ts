import { PassThrough } from "node:stream";
import { finished } from "node:stream/promises";
import { expect, it } from "vitest";
import { onLine } from "../../../src/host/on-line.ts";

async function linesOf(...chunks: readonly string[]): Promise<readonly string[]> {
  const stream = new PassThrough();
  const lines: string[] = [];
  onLine(stream, (line) => lines.push(line));
  for (const chunk of chunks) stream.write(chunk);
  stream.end();
  await finished(stream);
  return lines;
}

it("joins what comes in pieces and gives a last line without its end", async () => {
  expect(await linesOf("fir", "st\nsecond\nlast")).toEqual(["first", "second", "last"]);
});

it("cuts a line that does not end", async () => {
  const lines = await linesOf(...Array<string>(64).fill("x".repeat(1000)), "\nnext\n");
  expect(lines.map((line) => line.length)).toEqual([4096, 4]);
});
