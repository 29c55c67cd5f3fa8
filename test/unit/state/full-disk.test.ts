import { execFile } from "node:child_process";
import { mkdir, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished, type TestContext } from "vitest";
import { FileDeletionStore } from "../../../src/state/deletion-store.ts";
import { DurableDirectory } from "../../../src/state/durable-directory.ts";
import { Quarantine } from "../../../src/state/quarantine.ts";
import { ReserveFile } from "../../../src/state/reserve-file.ts";
import { FileSandboxStore } from "../../../src/state/sandbox-store.ts";
import { openStateDirectory } from "../../../src/state/state-directory.ts";
import { deletionRecord, doneMark, sandboxRecord } from "./standard-records.ts";
import { collect, temporaryDirectory } from "./state-fixture.ts";

const run = promisify(execFile);
const key = { containerId: "c1", ifName: "eth0" };

/** A file system of one MiB of its own, gone when the test is over. */
async function smallFileSystem(context: TestContext): Promise<string> {
  const path = join(await temporaryDirectory(), "small");
  await mkdir(path);
  await run("mount", ["-t", "tmpfs", "-o", "size=1m", "multusd-test", path]).catch(() =>
    context.skip("needs root to mount a small file system"),
  );
  onTestFinished(async () => void (await run("umount", ["--lazy", path])));
  return path;
}

async function fill(path: string): Promise<void> {
  const file = await open(join(path, "filler"), "a");
  try {
    for (;;) await file.write(Buffer.alloc(4096, 1));
  } catch (error) {
    expect(error).toMatchObject({ code: "ENOSPC" });
  } finally {
    await file.close();
  }
}

async function stateOn(path: string) {
  const { sandboxes, deletions, quarantine } = await openStateDirectory({
    stateDir: path,
    requirePersistentState: false,
  });
  const reserveStates: string[] = [];
  const onChange = (state: string) => reserveStates.push(state);
  const reserve = new ReserveFile({ stateDir: path, onChange, bytes: 128 * 1024 });
  await reserve.make();
  const putAside = new Quarantine(quarantine, () => undefined);
  return {
    reserve,
    reserveStates,
    store: new FileSandboxStore(new DurableDirectory(sandboxes, reserve), putAside),
    deletions: new FileDeletionStore(new DurableDirectory(deletions, reserve), putAside),
  };
}

describe("on a full disk", () => {
  it("an ADD's record is refused by name, the old one stands, and nothing half is left", async (context) => {
    const path = await smallFileSystem(context);
    const { store } = await stateOn(path);
    const before = sandboxRecord();
    await store.save(before);
    await fill(path);

    const refused = store.save(sandboxRecord("c1", { state: "adding", netns: "x".repeat(50_000) }));
    await expect(refused).rejects.toMatchObject({
      failureClass: "storage-failed",
      message: expect.stringContaining("the file system is full; free space"),
      details: `ENOSPC at ${path}/sandboxes/c1.json`,
    });
    await expect(store.load(key)).resolves.toEqual({ kind: "entry", entry: before });
    await expect(readdir(join(path, "sandboxes"))).resolves.toEqual(["c1.json"]);
  });

  it("what a DEL has to write down is written from the reserve, by many at once", async (context) => {
    const path = await smallFileSystem(context);
    const { store, deletions, reserveStates } = await stateOn(path);
    await store.save(sandboxRecord());
    await fill(path);

    const ids = ["d1", "d2", "d3", "d4"];
    await Promise.all(ids.map((id) => deletions.save(deletionRecord(id))));
    await store.save(sandboxRecord("c1", { state: "deleting" }));
    await store.save(doneMark());

    await expect(collect(deletions.list())).resolves.toHaveLength(4);
    await expect(store.load(key)).resolves.toEqual({ kind: "entry", entry: doneMark() });
    expect(reserveStates).toEqual(["made", "given-up"]);
  });

  it("a DEL fails by name once the reserve is used up, and records can still be removed", async (context) => {
    const path = await smallFileSystem(context);
    const { store, deletions, reserve } = await stateOn(path);
    await store.save(sandboxRecord());
    await reserve.giveUp();
    await fill(path);

    await expect(deletions.save(deletionRecord("d1"))).rejects.toMatchObject({
      failureClass: "storage-failed",
    });
    await store.remove(key);
    await expect(store.load(key)).resolves.toEqual({ kind: "missing" });
  });

  it("the reserve is made again only when there is room for more than itself", async (context) => {
    const path = await smallFileSystem(context);
    const { reserve, reserveStates } = await stateOn(path);
    await fill(path);
    await reserve.giveUp();

    await expect(reserve.make()).resolves.toBe(false);
    await rm(join(path, "filler"));
    await expect(reserve.make()).resolves.toBe(true);
    expect(reserveStates).toEqual(["made", "given-up", "made"]);
  });
});

describe("on a read-only file system", () => {
  it("records are read, writes are refused by name, and an unreadable record stays where it is", async (context) => {
    const path = await smallFileSystem(context);
    const { store, deletions } = await stateOn(path);
    await store.save(sandboxRecord());
    await run("truncate", ["-s", "0", join(path, "sandboxes", "c1.json")]);
    await store.save(sandboxRecord("c2"));
    await run("mount", ["-o", "remount,ro", path]);

    await expect(store.load({ containerId: "c2", ifName: "eth0" })).resolves.toMatchObject({ kind: "entry" });
    await expect(store.load(key)).resolves.toMatchObject({ kind: "unreadable" });
    const refused = { failureClass: "storage-failed", details: expect.stringMatching(/^EROFS at /) };
    await expect(store.save(sandboxRecord("c3"))).rejects.toMatchObject(refused);
    await expect(deletions.save(deletionRecord())).rejects.toMatchObject(refused);
    await expect(store.remove({ containerId: "c2", ifName: "eth0" })).rejects.toMatchObject(refused);
  });
});

describe("quarantine on another file system", () => {
  it("puts the file aside where it is, under a name that nobody looks for", async (context) => {
    const path = await smallFileSystem(context);
    const elsewhere = await temporaryDirectory();
    const file = join(path, "c1");
    await run("touch", [file]);

    const taken = await new Quarantine(elsewhere, () => undefined).take(file, "scratch", "empty");

    expect(taken).toMatch(/\/small\/\.scratch-c1-/);
    await expect(readdir(path)).resolves.toEqual([taken.slice(path.length + 1)]);
  });
});
