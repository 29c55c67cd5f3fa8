import { chmod, copyFile, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DurableDirectory } from "../../../src/state/durable-directory.ts";
import { Quarantine } from "../../../src/state/quarantine.ts";
import { FileSandboxStore } from "../../../src/state/sandbox-store.ts";
import { sandboxRecord } from "./standard-records.ts";
import { temporaryDirectory } from "./state-fixture.ts";

const fullRecord = sandboxRecord();

async function storeWithRecord() {
  const path = await temporaryDirectory();
  await mkdir(join(path, "quarantine"));
  await mkdir(join(path, "sandboxes"));
  const corrupt: string[] = [];
  const quarantine = new Quarantine(join(path, "quarantine"), ({ reason }) => corrupt.push(reason));
  const store = new FileSandboxStore(new DurableDirectory(join(path, "sandboxes")), quarantine);
  await store.save(fullRecord);
  const file = join(path, "sandboxes", `${fullRecord.containerId}.json`);
  return { store, file, corrupt };
}

describe("a record that was written or read a moment ago", () => {
  it("is seen as its file is now, whatever was done to that", async () => {
    const { store, file, corrupt } = await storeWithRecord();
    const intact = await readFile(file);

    for (const damage of [
      () => writeFile(file, Buffer.alloc(intact.length)),
      () => writeFile(file, ""),
      () => writeFile(file, intact.subarray(0, 100)),
      () => chmod(file, 0o000),
    ]) {
      await store.save(fullRecord);
      expect((await store.load(fullRecord)).kind).toBe("entry");
      await damage();
      expect((await store.load(fullRecord)).kind).toBe("unreadable");
    }
    expect(corrupt).toHaveLength(4);
  });

  it("is missing once its file is gone, and another's once that was put in its place", async () => {
    const { store, file } = await storeWithRecord();
    await copyFile(file, `${file}.kept`);
    await store.save({ ...fullRecord, netns: "/run/netns/later" });

    await rename(`${file}.kept`, file);
    expect(await store.load(fullRecord)).toEqual({ kind: "entry", entry: fullRecord });
    await rm(file);
    expect(await store.load(fullRecord)).toEqual({ kind: "missing" });
  });
});
