import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SandboxStore } from "../../src/attachments/ports.ts";
import { DurableDirectory } from "../../src/state/durable-directory.ts";
import { Quarantine } from "../../src/state/quarantine.ts";
import { FileSandboxStore } from "../../src/state/sandbox-store.ts";
import { FakeSandboxStore } from "../support/fake-sandbox-store.ts";
import { doneMark, sandboxRecord } from "../unit/state/standard-records.ts";
import { collect, temporaryDirectory } from "../unit/state/state-fixture.ts";

interface Subject {
  readonly store: SandboxStore;
  /** Spoils the container's file. */
  readonly spoil: (containerId: string) => Promise<void>;
}

async function fake(): Promise<Subject> {
  const store = new FakeSandboxStore();
  return { store, spoil: async (containerId) => store.makeUnreadable(containerId) };
}

async function files(): Promise<Subject> {
  const path = await temporaryDirectory();
  const quarantine = new Quarantine(join(path, "quarantine"), () => undefined);
  const store = new FileSandboxStore(new DurableDirectory(join(path, "sandboxes")), quarantine);
  return { store, spoil: (containerId) => writeFile(join(path, "sandboxes", `${containerId}.json`), "") };
}

describe.each([
  ["in memory", fake],
  ["in files", files],
] as const)("SandboxStore %s", (_name, make) => {
  const key = { containerId: "c1", ifName: "eth0" };

  it("gives back a record with every field as it was saved", async () => {
    const { store } = await make();
    const record = sandboxRecord();
    await store.save(record);

    await expect(store.load(key)).resolves.toEqual({ kind: "entry", entry: record });
  });

  it("says missing for a container and an interface that it does not know", async () => {
    const { store } = await make();
    await store.save(sandboxRecord());

    await expect(store.load({ containerId: "c2", ifName: "eth0" })).resolves.toEqual({ kind: "missing" });
    await expect(store.load({ containerId: "c1", ifName: "eth1" })).resolves.toEqual({ kind: "missing" });
    await expect(store.loadContainer("c2")).resolves.toEqual([]);
  });

  it("replaces the entry of the same interface and keeps those of others", async () => {
    const { store } = await make();
    const hotPlugged = sandboxRecord("c1", { ifName: "net7" });
    await store.save(sandboxRecord("c1", { state: "adding" }));
    await store.save(hotPlugged);
    await store.save(sandboxRecord("c1", { state: "added" }));
    await store.save(doneMark());

    await expect(store.load(key)).resolves.toEqual({ kind: "entry", entry: doneMark() });
    const entries = await store.loadContainer("c1");
    expect(entries).toHaveLength(2);
    expect(entries).toEqual(expect.arrayContaining([doneMark(), hotPlugged]));
  });

  it("removes one entry and leaves the container's others", async () => {
    const { store } = await make();
    await store.save(sandboxRecord());
    await store.save(sandboxRecord("c1", { ifName: "net7" }));
    await store.remove(key);

    await expect(store.load(key)).resolves.toEqual({ kind: "missing" });
    await expect(store.loadContainer("c1")).resolves.toMatchObject([{ ifName: "net7" }]);
  });

  it("removes the last entry, and one that is not there", async () => {
    const { store } = await make();
    await store.save(sandboxRecord());
    await store.remove(key);
    await store.remove(key);

    await expect(collect(store.list())).resolves.toEqual([]);
  });

  it("lists every entry of every container", async () => {
    const { store } = await make();
    await store.save(sandboxRecord("c1"));
    await store.save(sandboxRecord("c1", { ifName: "net7" }));
    await store.save(doneMark("c2"));

    const listed = await collect(store.list());
    const names = listed.map((stored) =>
      stored.kind === "entry" ? `${stored.entry.containerId}/${stored.entry.ifName}` : stored.kind,
    );
    expect(names.sort()).toEqual(["c1/eth0", "c1/net7", "c2/eth0"]);
  });

  it("says unreadable once, then missing, and takes a new record", async () => {
    const { store, spoil } = await make();
    await store.save(sandboxRecord());
    await spoil("c1");

    const found = await store.load(key);
    expect(found).toMatchObject({ kind: "unreadable", reason: expect.any(String) });
    expect(found).toHaveProperty("quarantined", expect.stringContaining("quarantine/"));
    await expect(store.load(key)).resolves.toEqual({ kind: "missing" });
    await store.save(sandboxRecord());
    await expect(store.load(key)).resolves.toMatchObject({ kind: "entry" });
  });

  it("saves over an unreadable record, and removes one", async () => {
    const { store, spoil } = await make();
    await store.save(sandboxRecord());
    await spoil("c1");
    await store.save(doneMark());
    await expect(store.load(key)).resolves.toEqual({ kind: "entry", entry: doneMark() });

    await spoil("c1");
    await store.remove(key);
    await expect(store.load(key)).resolves.toEqual({ kind: "missing" });
  });

  it("lists unreadable records among the others", async () => {
    const { store, spoil } = await make();
    await store.save(sandboxRecord("c1"));
    await store.save(sandboxRecord("c2"));
    await spoil("c2");

    const kinds = (await collect(store.list())).map(({ kind }) => kind);
    expect(kinds.sort()).toEqual(["entry", "unreadable"]);
  });

  it("hands out copies or frozen records: what a caller does to one changes nothing in the store", async () => {
    const { store } = await make();
    const record = sandboxRecord();
    await store.save(record);
    const first = await store.load(key);
    // False where the record is frozen.
    if (first.kind === "entry") Reflect.set(first.entry, "ifName", "changed");

    await expect(store.load(key)).resolves.toEqual({ kind: "entry", entry: sandboxRecord() });
  });
});
