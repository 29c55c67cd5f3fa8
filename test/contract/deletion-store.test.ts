import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { DeletionStore } from "../../src/deletions/ports.ts";
import { FileDeletionStore } from "../../src/state/deletion-store.ts";
import { DurableDirectory } from "../../src/state/durable-directory.ts";
import { Quarantine } from "../../src/state/quarantine.ts";
import { FakeDeletionStore } from "../support/fake-deletion-store.ts";
import { deletionRecord } from "../unit/state/standard-records.ts";
import { collect, temporaryDirectory } from "../unit/state/state-fixture.ts";

async function fake(): Promise<DeletionStore> {
  return new FakeDeletionStore();
}

async function files(): Promise<DeletionStore> {
  const path = await temporaryDirectory();
  const quarantine = new Quarantine(join(path, "quarantine"), () => undefined);
  return new FileDeletionStore(new DurableDirectory(join(path, "deletions")), quarantine);
}

describe.each([
  ["in memory", fake],
  ["in files", files],
] as const)("DeletionStore %s", (_name, make) => {
  it("lists records with every field as it was saved", async () => {
    const store = await make();
    const records = [deletionRecord("d1"), deletionRecord("d2", { state: "dead", attemptCount: 900 })];
    for (const record of records) await store.save(record);

    const listed = await collect(store.list());
    expect(listed.sort((left, right) => left.id.localeCompare(right.id))).toEqual(records);
  });

  it("replaces the record of the same id", async () => {
    const store = await make();
    await store.save(deletionRecord("d1", { attemptCount: 1 }));
    await store.save(deletionRecord("d1", { attemptCount: 2 }));

    await expect(collect(store.list())).resolves.toMatchObject([{ id: "d1", attemptCount: 2 }]);
  });

  it("removes a record, and one that is not there", async () => {
    const store = await make();
    await store.save(deletionRecord("d1"));
    await store.remove("d1");
    await store.remove("d1");

    await expect(collect(store.list())).resolves.toEqual([]);
  });

  it("lists nothing before the first record", async () => {
    await expect(collect((await make()).list())).resolves.toEqual([]);
  });
});
