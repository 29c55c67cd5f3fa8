import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type CorruptFile, Quarantine, type QuarantineBounds } from "../../../src/state/quarantine.ts";
import { temporaryDirectory } from "./state-fixture.ts";

async function quarantineIn(bounds: Partial<QuarantineBounds> = {}) {
  const path = await temporaryDirectory();
  const directory = join(path, "quarantine");
  const corrupt: CorruptFile[] = [];
  const quarantine = new Quarantine(directory, (found) => corrupt.push(found), bounds);
  const take = async (content: string) => {
    const file = join(path, "c1.json");
    await writeFile(file, content);
    return await quarantine.take(file, "sandbox", "torn");
  };
  return { path, directory, corrupt, quarantine, take };
}

describe("Quarantine", () => {
  it("keeps what it took under a name that says what it was and when", async () => {
    const { take, directory, corrupt } = await quarantineIn();
    const taken = await take("half");

    expect(taken.slice(directory.length + 1)).toMatch(/^sandbox-c1\.json-\d{8}T\d{9}Z-\d+$/);
    await expect(readFile(taken, "utf8")).resolves.toBe("half");
    expect(corrupt).toMatchObject([{ kind: "sandbox", reason: "torn", quarantined: taken }]);
  });

  it("never replaces what it took before under the same name", async () => {
    const { take } = await quarantineIn();
    const taken = [await take("1"), await take("2"), await take("3")];

    const contents = await Promise.all(taken.map((file) => readFile(file, "utf8")));
    expect(contents).toEqual(["1", "2", "3"]);
  });

  it("keeps the newest of too many", async () => {
    const { take, directory, quarantine } = await quarantineIn({ maxEntries: 3 });
    for (const content of ["1", "2", "3", "4", "5"]) await take(content);
    await quarantine.waitIdle();

    const kept = await Promise.all(
      (await readdir(directory)).map((name) => readFile(join(directory, name), "utf8")),
    );
    expect(kept.sort()).toEqual(["3", "4", "5"]);
  });

  it("keeps no more bytes than it may, but the newest whatever its size", async () => {
    const { take, directory, quarantine } = await quarantineIn({ maxBytes: 10 });
    for (const content of ["1111", "2222", "3333", "4444"]) await take(content);
    await quarantine.waitIdle();
    await expect(readdir(directory)).resolves.toHaveLength(2);

    const newest = await take("5".repeat(100));
    await quarantine.waitIdle();
    await expect(readdir(directory)).resolves.toEqual([newest.slice(directory.length + 1)]);
  });

  it("deletes no directory with something in it, and nothing that it did not take", async () => {
    const { path, take, directory, quarantine } = await quarantineIn({ maxEntries: 1 });
    await mkdir(join(path, "full", "deeper"), { recursive: true });
    const full = await quarantine.take(join(path, "full"), "scratch", "a directory");
    await writeFile(join(directory, "note-of-an-operator"), "mine");
    await take("1");
    await take("2");
    await quarantine.waitIdle();

    const left = await readdir(directory);
    expect(left).toHaveLength(3);
    expect(left).toEqual(expect.arrayContaining(["note-of-an-operator", full.slice(directory.length + 1)]));
  });

  it("reports what vanished before it could be moved, and does not reject", async () => {
    const { path, corrupt, quarantine } = await quarantineIn();
    const file = join(path, "gone.json");

    await expect(quarantine.take(file, "spool", "torn")).resolves.toBe(file);
    expect(corrupt).toMatchObject([{ kind: "spool", cause: { code: "ENOENT" } }]);
  });
});
