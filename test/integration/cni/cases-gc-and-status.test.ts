import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  addNetworkList,
  collectGarbageNetworkList,
  statusNetworkList,
  type ValidAttachment,
} from "../../../src/cni/index.ts";
import { addressResult, type CaseRig, failureOf, listOf, noLimits, shareHost } from "./case-rig.ts";

const useRig = shareHost();

type Keys = Readonly<Record<string, unknown>>;

/** An attachment of `containerId` on eth0 that only the cache knows. */
async function cacheAttachment(rig: CaseRig, containerId: string, networkName = "net"): Promise<void> {
  await rig.cache.write({
    networkName,
    containerId,
    ifName: "eth0",
    netns: `/run/netns/${containerId}`,
    config: "{}",
    args: [["A", containerId]],
    capabilityArgs: { mac: `"${containerId}"` },
  });
}

async function collect(rig: CaseRig, valid: readonly ValidAttachment[], keys: Keys = {}): Promise<void> {
  const list = listOf(keys, [{ capabilities: { mac: true } }]);
  const search = { searchPath: [rig.plugins.binDir] };
  await collectGarbageNetworkList(rig.runtime(), list, valid, search, noLimits, { deleteStale: true });
}

const kept = [{ containerId: "kept", ifName: "eth0" }];
const collected = ["p1 GC", "p2 GC", "p3 GC"];
const deleted = ["p3 DEL", "p2 DEL", "p1 DEL"];

describe("GC", () => {
  it("case 57: runs nothing where it is switched off", async () => {
    const rig = await useRig();
    await cacheAttachment(rig, "stale");
    await collect(rig, [], { disableGC: true });
    expect(await rig.order()).toEqual([]);
  });

  it("case 57: below 1.1.0 is a DEL of what is cached and not valid", async () => {
    const rig = await useRig();
    for (const containerId of ["kept", "stale"]) await cacheAttachment(rig, containerId);
    await collect(rig, kept, { cniVersion: "1.0.0" });
    expect(await rig.order()).toEqual(deleted);
    expect((await rig.call("p1 DEL")).containerId).toBe("stale");
  });

  it("case 58: deletes stale attachments with what they were added with, then runs GC in list order", async () => {
    const rig = await useRig();
    for (const containerId of ["kept", "stale"]) await cacheAttachment(rig, containerId);
    await collect(rig, kept);
    expect(await rig.order()).toEqual([...deleted, ...collected]);
    const del = await rig.call("p1 DEL");
    expect(del).toMatchObject({ containerId: "stale", netns: "/run/netns/stale", ifName: "eth0" });
    expect(del.env).toMatchObject({ CNI_ARGS: "A=stale" });
    expect(JSON.parse(del.stdin)).toMatchObject({ runtimeConfig: { mac: "stale" } });
    const valid = [{ containerID: "kept", ifname: "eth0" }];
    for (const run of collected) {
      expect(await rig.stdin(run)).toMatchObject({
        "cni.dev/valid-attachments": valid,
        "cni.dev/attachments": valid,
      });
    }
    expect((await rig.cache.list()).records.map(({ containerId }) => containerId)).toEqual(["kept"]);
  });

  it("case 58: sends an empty list where nothing is valid", async () => {
    const rig = await useRig();
    await collect(rig, []);
    expect(await rig.stdin("p2 GC")).toMatchObject({
      "cni.dev/valid-attachments": [],
      "cni.dev/attachments": [],
    });
  });

  it("case 59: tries everything, reports every failure, and touches no other network", async () => {
    const rig = await useRig();
    for (const containerId of ["stale1", "stale2"]) await cacheAttachment(rig, containerId);
    await cacheAttachment(rig, "foreign", "other");
    await rig.plugins.behave("p3", "DEL", { code: 142, msg: "in use", once: true });
    await rig.plugins.behave("p2", "GC", { code: 143, msg: "cannot collect" });
    const error = await failureOf(collect(rig, []));
    expect(error).toMatchObject({
      message:
        'failed to delete stale attachment stale1 eth0: plugin type="p3" failed (delete): in use\n' +
        "failed to GC plugin p2: cannot collect",
      code: 142,
    });
    expect(await rig.order()).toEqual(["p3 DEL", ...deleted, ...collected]);
    const left = (await rig.cache.list()).records.map(({ containerId }) => containerId);
    expect(left.toSorted()).toEqual(["foreign", "stale1"]);
  });

  it("case 60: passes over other networks and what is no record", async () => {
    const rig = await useRig();
    await cacheAttachment(rig, "foreign", "other");
    await writeFile(rig.cacheFile("net-broken-eth0"), "{");
    await mkdir(rig.cacheFile("net-directory-eth0"));
    await collect(rig, []);
    expect(await rig.order()).toEqual(collected);
    expect(await readFile(rig.cacheFile("net-broken-eth0"), "utf8")).toBe("{");
  });

  it("case 60: runs without a cache directory", async () => {
    const rig = await useRig();
    await collect(rig, []);
    expect(await rig.order()).toEqual(collected);
  });

  it("case 60: reports a cache directory that cannot be read, and runs all the same", async () => {
    const rig = await useRig();
    await mkdir(join(rig.directory, "cache"));
    await writeFile(dirname(rig.cacheFile()), "a file where the directory should be");
    await expect(collect(rig, [])).rejects.toMatchObject({
      code: 5,
      message: expect.stringContaining("cannot read"),
    });
    expect(await rig.order()).toEqual(collected);
  });
});

describe("STATUS", () => {
  const status = async (rig: CaseRig, keys: Keys = {}) =>
    await statusNetworkList(rig.runtime(), listOf(keys), { searchPath: [rig.plugins.binDir] }, noLimits);

  it.each(["1.0.0", "", "banana"])(
    "case 62: is a success without a run for version %j",
    async (cniVersion) => {
      const rig = await useRig();
      await status(rig, { cniVersion });
      expect(await rig.order()).toEqual([]);
    },
  );

  it("case 62: gives the first failure as it is, and asks no further plugin", async () => {
    const rig = await useRig();
    await rig.plugins.behave("p2", "STATUS", { code: 50, msg: "no addresses left" });
    const error = await failureOf(status(rig));
    expect(error).toMatchObject({ message: "no addresses left", code: 50 });
    expect(await rig.order()).toEqual(["p1 STATUS", "p2 STATUS"]);
  });

  it("case 62: asks every plugin of 1.1.0", async () => {
    const rig = await useRig();
    await rig.plugins.behave("p1", "ADD", { stdout: addressResult("1.1.0") });
    await addNetworkList(rig.runtime(), listOf(), rig.attachment(), noLimits);
    await status(rig);
    expect((await rig.order()).slice(3)).toEqual(["p1 STATUS", "p2 STATUS", "p3 STATUS"]);
    expect(await rig.stdin("p3 STATUS")).toEqual({ type: "p3", cniVersion: "1.1.0", name: "net" });
  });
});
