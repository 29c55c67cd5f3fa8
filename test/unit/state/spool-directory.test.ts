import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { DurableDirectory } from "../../../src/state/durable-directory.ts";
import { seal } from "../../../src/state/envelope.ts";
import { type CorruptFile, Quarantine } from "../../../src/state/quarantine.ts";
import { SpoolDirectory } from "../../../src/state/spool-directory.ts";
import { waitFor } from "../../support/wait-for.ts";
import { bootId } from "./standard-records.ts";
import { temporaryDirectory } from "./state-fixture.ts";

async function spoolDirectory(changes: { maxListed?: number } = {}) {
  const path = await temporaryDirectory();
  const directory = new DurableDirectory(join(path, "spool"));
  const corrupt: CorruptFile[] = [];
  const quarantine = new Quarantine(join(path, "quarantine"), (found) => corrupt.push(found));
  const troubles: unknown[] = [];
  const onTrouble = (error: unknown) => troubles.push(error);
  const spool = new SpoolDirectory({ directory, quarantine, bootId, onTrouble, rescanMs: 20, ...changes });
  return { spool, directory, corrupt, troubles };
}

function entry(startNs: string, changes: object = {}): Buffer {
  const env = { CNI_COMMAND: "DEL", CNI_CONTAINERID: "c1", CNI_IFNAME: "eth0" };
  const config = Buffer.from("{}").toString("base64");
  return seal("multusd.spool", {
    env,
    config,
    bootId,
    startNs,
    policy: "deferred",
    reason: "daemon-absent",
    ...changes,
  });
}

describe("SpoolDirectory", () => {
  it("puts entries of earlier boots before those of this one", async () => {
    const { spool, directory } = await spoolDirectory();
    await directory.write("a@eth0.json", entry("5"));
    await directory.write("b@eth0.json", entry("900", { bootId: "earlier" }));
    await directory.write("c@eth0.json", entry("800", { bootId: "earlier" }));
    await directory.write("d@eth0.json", entry("4"));

    const names = (await spool.list()).map(({ name }) => name[0]);
    expect(names).toEqual(["c", "b", "d", "a"]);
  });

  it.each([
    ["empty", Buffer.alloc(0)],
    ["no envelope", Buffer.from("{}")],
    ["without a start", entry("", { startNs: undefined })],
    ["with an environment that is a list", entry("1", { env: ["CNI_COMMAND=DEL"] })],
    ["with a variable that is a number", entry("1", { env: { CNI_COMMAND: 1 } })],
    ["with a configuration that is no base64", entry("1", { config: "{}" })],
  ])("moves an entry away that is %s, counts it and lists the others", async (_what, bytes) => {
    const { spool, directory, corrupt } = await spoolDirectory();
    await directory.write("bad@eth0.json", entry("1"));
    await writeFile(join(directory.path, "bad@eth0.json"), bytes);
    await directory.write("good@eth0.json", entry("2"));

    await expect(spool.list()).resolves.toMatchObject([{ name: "good@eth0.json" }]);
    expect(corrupt).toMatchObject([{ kind: "spool" }]);
    await expect(readdir(directory.path)).resolves.toEqual(["good@eth0.json"]);
  });

  it("does not see an entry that a shim is still writing", async () => {
    const { spool, directory } = await spoolDirectory();
    await directory.write("a@eth0.json", entry("1"));
    await rename(join(directory.path, "a@eth0.json"), join(directory.path, ".a@eth0.json.1.1.tmp"));

    await expect(spool.list()).resolves.toEqual([]);
  });

  it("leaves an entry that came under the same name after the one that is removed was listed", async () => {
    const { spool, directory } = await spoolDirectory();
    await directory.write("a@eth0.json", entry("1"));
    await spool.list();
    await directory.write("a@eth0.json", entry("2"));
    await spool.remove("a@eth0.json");

    await expect(spool.list()).resolves.toMatchObject([{ generation: { startNs: "2" } }]);
    await spool.remove("a@eth0.json");
    await expect(spool.list()).resolves.toEqual([]);
  });

  it("leaves an entry that it never listed: nobody can have settled it", async () => {
    const { spool, directory } = await spoolDirectory();
    await directory.write("a@eth0.json", entry("1"));
    await spool.remove("a@eth0.json");

    await expect(spool.list()).resolves.toHaveLength(1);
  });

  it("leaves a repeat when two who listed the entry before it both remove it", async () => {
    const { spool, directory } = await spoolDirectory();
    await directory.write("a@eth0.json", entry("1"));
    await spool.list();
    await spool.remove("a@eth0.json");
    await directory.write("a@eth0.json", entry("2"));
    await spool.remove("a@eth0.json");

    await expect(spool.list()).resolves.toHaveLength(1);
  });

  it("gives a part of a spool that is too large for memory, and the rest afterwards", async () => {
    const { spool, directory } = await spoolDirectory({ maxListed: 3 });
    for (const id of ["a", "b", "c", "d", "e"]) await directory.write(`${id}@eth0.json`, entry("1"));

    const first = await spool.list();
    expect(first).toHaveLength(3);
    for (const { name } of first) await spool.remove(name);
    await expect(spool.list()).resolves.toHaveLength(2);
  });

  it("tells of entries that were there before, and again while one is left", async () => {
    const { spool, directory } = await spoolDirectory();
    await directory.write("a@eth0.json", entry("1"));
    let told = 0;
    const watch = await spool.watch(() => {
      told += 1;
    });
    onTestFinished(() => watch.stop());

    await waitFor("it to tell again of what is left", () => told > 2);
  });

  it("tells of entries in a directory that is made later, removed, and made again", async () => {
    const { spool, directory, troubles } = await spoolDirectory();
    let told = 0;
    const watch = await spool.watch(() => {
      told += 1;
    });
    onTestFinished(() => watch.stop());
    for (let round = 0; round < 2; round += 1) {
      const before = told;
      await mkdir(directory.path);
      await writeFile(join(directory.path, "a@eth0.json"), entry("1"));
      await waitFor("it to tell of the entry", () => told > before);
      await rm(directory.path, { recursive: true });
    }
    expect(troubles).toEqual([]);
  });

  it("survives a watcher that throws, and says so", async () => {
    const { spool, directory, troubles } = await spoolDirectory();
    await directory.write("a@eth0.json", entry("1"));
    const watch = await spool.watch(() => {
      throw new Error("broken watcher");
    });
    onTestFinished(() => watch.stop());

    await waitFor("the trouble to be told", () => troubles.length > 0);
    expect(String(troubles[0])).toContain("broken watcher");
  });

  it("reports a spool that cannot be listed instead of failing", async () => {
    const { spool, directory, troubles } = await spoolDirectory();
    await writeFile(directory.path, "a file in its place");

    await expect(spool.list()).resolves.toEqual([]);
    expect(troubles).toEqual([]);
  });
});
