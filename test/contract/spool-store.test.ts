import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { SpooledDeletion, SpoolSource } from "../../src/deletions/ports.ts";
import { DurableDirectory } from "../../src/state/durable-directory.ts";
import { seal } from "../../src/state/envelope.ts";
import { Quarantine } from "../../src/state/quarantine.ts";
import { SpoolDirectory } from "../../src/state/spool-directory.ts";
import { FakeSpoolSource } from "../support/fake-spool-store.ts";
import { waitFor } from "../support/wait-for.ts";
import { bootId } from "../unit/state/standard-records.ts";
import { temporaryDirectory } from "../unit/state/state-fixture.ts";

interface Subject {
  readonly spool: SpoolSource;
  /** Plays the shim. */
  readonly put: (entry: SpooledDeletion) => Promise<void>;
}

async function fake(): Promise<Subject> {
  const spool = new FakeSpoolSource();
  return { spool, put: async (entry) => spool.put(entry) };
}

async function files(): Promise<Subject> {
  const path = await temporaryDirectory();
  const directory = new DurableDirectory(join(path, "spool"));
  const quarantine = new Quarantine(join(path, "quarantine"), () => undefined);
  const onTrouble = (error: unknown) => expect.unreachable(String(error));
  const spool = new SpoolDirectory({ directory, quarantine, bootId, onTrouble, rescanMs: 20 });
  const put = async ({ name, env, config, generation }: SpooledDeletion) => {
    const body = { env, config: Buffer.from(config).toString("base64"), ...generation, policy: "deferred" };
    await directory.write(name, seal("multusd.spool", body));
  };
  return { spool, put };
}

function entry(containerId: string, startNs: string): SpooledDeletion {
  return {
    name: `${containerId}@eth0.json`,
    env: { CNI_COMMAND: "DEL", CNI_CONTAINERID: containerId, CNI_IFNAME: "eth0" },
    config: '{"name":"multus","text":"ä"}\n',
    generation: { bootId, startNs },
  };
}

describe.each([
  ["in memory", fake],
  ["in files", files],
] as const)("SpoolSource %s", (_name, make) => {
  it("lists what the shim wrote, oldest first", async () => {
    const { spool, put } = await make();
    await put(entry("c2", "900"));
    await put(entry("c1", "1000"));

    await expect(spool.list()).resolves.toEqual([entry("c2", "900"), entry("c1", "1000")]);
  });

  it("lists those of one container, and no other whose ID begins alike", async () => {
    const { spool, put } = await make();
    await put(entry("c1", "2"));
    await put(entry("c10", "1"));

    expect(await spool.listOf("c1")).toEqual([entry("c1", "2")]);
    expect(await spool.listOf("c")).toEqual([]);
  });

  it("lists nothing where nothing was spooled", async () => {
    const { spool } = await make();
    await expect(spool.list()).resolves.toEqual([]);
  });

  it("does not list what was removed, and removes twice without a word", async () => {
    const { spool, put } = await make();
    await put(entry("c1", "900"));
    await spool.list();
    await spool.remove("c1@eth0.json");
    await spool.remove("c1@eth0.json");

    await expect(spool.list()).resolves.toEqual([]);
  });

  it("removes the entry of the generation that was settled, not a repeat that took its place", async () => {
    const { spool, put } = await make();
    await put(entry("c1", "900"));
    await spool.list();
    await put(entry("c1", "901"));
    await spool.list();
    await spool.remove("c1@eth0.json", { bootId, startNs: "900" });
    await expect(spool.list()).resolves.toEqual([entry("c1", "901")]);

    await spool.remove("c1@eth0.json", { bootId, startNs: "901" });
    await expect(spool.list()).resolves.toEqual([]);
  });

  it("tells its watcher of an entry that comes, until it is stopped", async () => {
    const { spool, put } = await make();
    let told = 0;
    const watch = await spool.watch(() => {
      told += 1;
    });
    onTestFinished(() => watch.stop());
    await put(entry("c1", "900"));
    await waitFor("the watcher to be told", () => told > 0);

    await watch.stop();
    const before = told;
    await put(entry("c2", "901"));
    await expect(spool.list()).resolves.toHaveLength(2);
    expect(told).toBe(before);
  });

  it("counts how often an entry was begun and not ended, for this very entry only", async () => {
    const { spool, put } = await make();
    await put(entry("c1", "5"));
    const [first] = await spool.list();
    if (first === undefined) throw new Error("nothing is listed");
    expect(await spool.crashesOf(first)).toBe(0);

    await spool.begin(first);
    await spool.begin(first);

    expect(await spool.crashesOf(first)).toBe(2);
    expect(await spool.crashesOf(entry("c1", "6"))).toBe(0);
    expect(await spool.count()).toBe(1);
    await spool.letGo(first);
    expect(await spool.crashesOf(first)).toBe(0);
    await spool.begin(first);
    await spool.remove(first.name, first.generation);
    expect(await spool.crashesOf(first)).toBe(0);
    expect(await spool.count()).toBe(0);
  });
});
