import { appendFile, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DeadLetterArchive } from "../../../src/state/dead-letter-archive.ts";
import { temporaryDirectory } from "./state-fixture.ts";

async function useArchive(limits: { readonly maxFileBytes?: number; readonly maxFiles?: number } = {}) {
  const directory = await temporaryDirectory();
  const archive = new DeadLetterArchive({ directory, syncDirectory: async () => {}, ...limits });
  const lines = async (name: string) =>
    (await readFile(join(directory, name), "utf8")).split("\n").slice(0, -1);
  return { directory, archive, lines };
}

describe("DeadLetterArchive", () => {
  it("keeps one JSON text a line, in the order in which they came", async () => {
    const { archive, lines } = await useArchive();

    await Promise.all([archive.append({ id: "d1", msg: "a\nb" }), archive.append({ id: "d2" })]);

    expect((await lines("archive.jsonl")).map((line) => JSON.parse(line) as unknown)).toEqual([
      { id: "d1", msg: "a\nb" },
      { id: "d2" },
    ]);
  });

  it("begins a new line after one that a crash cut off", async () => {
    const { directory, archive, lines } = await useArchive();
    await appendFile(join(directory, "archive.jsonl"), '{"id":"d');

    await archive.append({ id: "d2" });

    expect(await lines("archive.jsonl")).toEqual(['{"id":"d', '{"id":"d2"}']);
  });

  it("goes on in a new file when one is full, and takes nothing when all are", async () => {
    const { directory, archive, lines } = await useArchive({ maxFileBytes: 24, maxFiles: 2 });
    for (let index = 1; index <= 6; index += 1) await archive.append({ id: `d${index}` });

    await expect(archive.append({ id: "d7" })).rejects.toMatchObject({ failureClass: "storage-failed" });

    expect((await readdir(directory)).sort()).toEqual([
      "archive.1.jsonl",
      "archive.2.jsonl",
      "archive.jsonl",
    ]);
    expect(await lines("archive.2.jsonl")).toEqual(['{"id":"d1"}', '{"id":"d2"}']);
    expect(await lines("archive.jsonl")).toEqual(['{"id":"d5"}', '{"id":"d6"}']);
  });
});
