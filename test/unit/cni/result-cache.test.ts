import { execFileSync } from "node:child_process";
import { chmod, mkdir, readdir, readFile, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type CacheRecord,
  createResultCache,
  parseResult,
  ResultCacheError,
  writeFileDurably,
} from "../../../src/cni/index.ts";
import { hostileJson } from "./hostile-json.ts";
import { makeTemporaryDirectory } from "./temporary-directory.ts";

const record: CacheRecord = {
  networkName: "net",
  containerId: "cid",
  ifName: "eth0",
  netns: "/ns",
  config: '{"name":"net","é":1.0}',
  args: [["A", "1"]],
  capabilityArgs: { mac: '"aa"', __proto__x: "1e400" },
  result: parseResult('{"cniVersion":"0.4.0","ips":[{"version":"4","address":"10.0.0.1/8"}]}'),
};

async function makeCache() {
  const directory = await makeTemporaryDirectory();
  const results = join(directory, "results");
  await mkdir(results);
  return {
    results,
    file: join(results, "net-cid-eth0"),
    cache: createResultCache(directory, writeFileDurably),
  };
}

/** A record as libcni v1.3.0 writes it, with keys of the result sorted. */
const libcniRecord =
  '{"kind":"cniCacheV1","containerId":"cid","config":"eyJuYW1lIjoibmV0In0=","ifName":"eth0","networkName":"net","netns":"/ns","cniArgs":[["A","1"],["B",""]],"capabilityArgs":{"mac":"aa","n":{"x":[1]}},"result":{"cniVersion":"0.4.0","dns":{},"ips":[{"address":"10.0.0.1/8","version":"4"}]}}';

describe("the result cache", () => {
  it("reads what it has written", async () => {
    const { cache } = await makeCache();
    await cache.write(record);
    expect(await cache.read("net", "cid", "eth0")).toEqual({ kind: "usable", record });
  });

  it("reads any record that it has written", async () => {
    const { cache } = await makeCache();
    const name = fc.stringMatching(/^[a-z0-9][a-z0-9_.-]{0,8}$/);
    const anyRecord = fc.record({
      networkName: name,
      containerId: name,
      ifName: name,
      netns: fc.string(),
      config: fc.string(),
      args: fc.array(fc.tuple(fc.string(), fc.string())),
      capabilityArgs: fc.dictionary(
        fc.oneof(fc.string(), fc.constant("__proto__")),
        hostileJson(["a"]).map((value) => JSON.stringify(value)),
      ),
    });
    await fc.assert(
      fc.asyncProperty(anyRecord, async (value) => {
        await cache.write(value);
        const found = await cache.read(value.networkName, value.containerId, value.ifName);
        expect(found.kind === "usable" && Object.entries(found.record)).toEqual(Object.entries(value));
      }),
      { numRuns: 25 },
    );
  });

  it("reads libcni's records", async () => {
    const { cache, file } = await makeCache();
    await writeFile(file, libcniRecord);
    expect(await cache.read("net", "cid", "eth0")).toMatchObject({
      kind: "usable",
      record: {
        netns: "/ns",
        config: '{"name":"net"}',
        args: [
          ["A", "1"],
          ["B", ""],
        ],
        capabilityArgs: { mac: '"aa"', n: '{"x":[1]}' },
        result: { cniVersion: "0.4.0", ips: [{ version: "4", address: "10.0.0.1/8" }] },
      },
    });
  });

  it("reads a bare result, as libcni v0.7 kept it", async () => {
    const { cache, file } = await makeCache();
    await writeFile(file, '{"cniVersion":"0.2.0","ip4":{"ip":"10.0.0.1/8"},"dns":{}}');
    const found = await cache.read("net", "cid", "eth0");
    expect(found).toMatchObject({
      kind: "usable",
      record: { containerId: "cid", result: { cniVersion: "0.2.0" } },
    });
    expect(found.kind === "usable" && "config" in found.record).toBe(false);
  });

  it("has nothing where nothing is", async () => {
    const { cache } = await makeCache();
    expect(await cache.read("net", "other", "eth0")).toEqual({ kind: "missing" });
    expect(await cache.read("net", "x".repeat(300), "eth0")).toEqual({ kind: "missing" });
    const directory = await makeTemporaryDirectory();
    expect(await createResultCache(directory, writeFileDurably).read("n", "c", "i")).toEqual({
      kind: "missing",
    });
    await cache.remove("net", "other", "eth0");
  });

  it.each([
    ["", "empty file"],
    ["{", "unexpected end of JSON input at line 1, column 2"],
    [libcniRecord.slice(0, 100), "unexpected end of JSON input"],
    ["\0\0\0\0", "invalid character '\\x00'"],
    ["[]", "array instead of a record"],
    ["null", "null instead of a record"],
    ["{}", "neither a record nor a result"],
    ['{"cniVersion":""}', "neither a record nor a result"],
    ['{"kind":"cniCacheV2","cniVersion":"1.0.0"}', "record of an unknown kind"],
    ['{"kind":7}', "cannot unmarshal number"],
    ['{"kind":"cniCacheV1","containerId":7}', "cachedInfo.containerId"],
    ['{"kind":"cniCacheV1","config":"%%%"}', "cachedInfo.config"],
    ['{"kind":"cniCacheV1","config":"abc"}', "cachedInfo.config"],
    ['{"kind":"cniCacheV1","cniArgs":[1]}', "cachedInfo.cniArgs"],
    ['{"kind":"cniCacheV1","cniArgs":{}}', "cachedInfo.cniArgs"],
    ['{"kind":"cniCacheV1","capabilityArgs":[]}', "cachedInfo.capabilityArgs"],
    ['{"kind":"cniCacheV1","result":[]}', "cachedInfo.result"],
    ['{"kind":"cniCacheV1","result":{"cniVersion":"9.0.0"}}', "unsupported CNI result version"],
    ["[".repeat(100_000), "exceeded max depth"],
  ])("calls %.60j corrupt", async (content, reason) => {
    const { cache, file } = await makeCache();
    await writeFile(file, content);
    const found = await cache.read("net", "cid", "eth0");
    expect(found).toMatchObject({ kind: "corrupt", file, reason: expect.stringContaining(reason) });
  });

  it("calls a directory, a FIFO, a circle of links and a file over 16 MiB corrupt, at once", async () => {
    const { cache, results } = await makeCache();
    await mkdir(join(results, "net-a-eth0"));
    execFileSync("/usr/bin/mkfifo", [join(results, "net-b-eth0")]);
    await symlink("net-c-eth0", join(results, "net-c-eth0"));
    await writeFile(join(results, "net-d-eth0"), "");
    await truncate(join(results, "net-d-eth0"), 16 * 1024 * 1024 + 1);
    for (const id of ["a", "b", "c", "d"]) expect((await cache.read("net", id, "eth0")).kind).toBe("corrupt");
    expect((await cache.list()).corrupt).toHaveLength(4);
  });

  it("calls a file that its owner may not read corrupt, also for root, who could", async () => {
    const { cache, file } = await makeCache();
    await writeFile(file, libcniRecord);
    await chmod(file, 0o000);
    expect(await cache.read("net", "cid", "eth0")).toEqual({
      kind: "corrupt",
      reason: expect.any(String),
      file,
    });
  });

  it("takes the record of another attachment for none, and does not remove it", async () => {
    const { cache, file, results } = await makeCache();
    await writeFile(file, libcniRecord.replace('"containerId":"cid"', '"containerId":"cid-eth0"'));
    expect(await cache.read("net", "cid", "eth0")).toEqual({ kind: "missing", foreign: "net cid-eth0 eth0" });
    await cache.remove("net", "cid", "eth0");
    expect(await readdir(results)).toEqual(["net-cid-eth0"]);
  });

  it("removes what is corrupt", async () => {
    const { cache, file, results } = await makeCache();
    await writeFile(file, "");
    await cache.remove("net", "cid", "eth0");
    expect(await readdir(results)).toEqual([]);
  });

  it("removes an empty directory, and says that it cannot remove one that holds something", async () => {
    const { cache, file, results } = await makeCache();
    await mkdir(file);
    await cache.remove("net", "cid", "eth0");
    expect(await readdir(results)).toEqual([]);
    await mkdir(join(file, "something"), { recursive: true });
    await expect(cache.remove("net", "cid", "eth0")).rejects.toThrow(ResultCacheError);
  });

  it.each([
    [
      "",
      "c",
      "i",
      'cache file path requires network name (""), container ID ("c"), and interface name ("i")',
    ],
    ["n", "../../c", "i", "no file name for a cached result"],
    ["n", "c", "i\0", "no file name for a cached result"],
  ])("has no file for %j %j %j", async (networkName, containerId, ifName, message) => {
    const { cache } = await makeCache();
    await expect(cache.read(networkName, containerId, ifName)).rejects.toThrow(message);
    await expect(cache.remove(networkName, containerId, ifName)).rejects.toThrow(message);
    await expect(cache.write({ ...record, networkName, containerId, ifName })).rejects.toThrow(message);
  });

  it("lists all records by file name, and what is corrupt beside them", async () => {
    const { cache, results } = await makeCache();
    await cache.write({ ...record, containerId: "b" });
    await cache.write({ ...record, containerId: "a" });
    await writeFile(join(results, "torn"), "{");
    await writeFile(join(results, ".hidden.tmp"), libcniRecord);
    await writeFile(join(results, "legacy"), '{"cniVersion":"0.4.0"}');
    const { records, corrupt } = await cache.list();
    expect(records.map(({ containerId }) => containerId)).toEqual(["a", "b"]);
    expect(corrupt).toMatchObject([{ file: join(results, "torn") }]);
  });

  it("lists a record whose result is of an unknown version, without it: its attachment is still there", async () => {
    const { cache, file } = await makeCache();
    await writeFile(file, JSON.stringify({ ...JSON.parse(libcniRecord), result: { cniVersion: "9.0.0" } }));
    const { records, corrupt } = await cache.list();
    expect(records).toMatchObject([{ networkName: "net", containerId: "cid", ifName: "eth0" }]);
    expect(records[0]).not.toHaveProperty("result");
    expect(corrupt).toEqual([]);
    expect(await cache.read("net", "cid", "eth0")).toEqual({
      kind: "corrupt",
      reason: 'unsupported CNI result version "9.0.0"',
      file,
    });
  });

  it("lists the records of one container, bare results included, since their file name tells whose they are", async () => {
    const { cache, results } = await makeCache();
    await cache.write({ ...record, networkName: "a-b", ifName: "eth0" });
    await cache.write({ ...record, containerId: "other" });
    await writeFile(join(results, "old-net-cid-net1"), '{"cniVersion":"0.4.0"}');
    await writeFile(join(results, "torn-cid-net2"), "");
    await writeFile(join(results, "torn-other-net2"), "");
    const { records, corrupt } = await cache.list("cid");
    expect(records.map(({ networkName, ifName }) => [networkName, ifName])).toEqual([
      ["a-b", "eth0"],
      ["old-net", "net1"],
    ]);
    expect(corrupt.map(({ file }) => file)).toEqual([join(results, "torn-cid-net2")]);
  });

  it("keeps the old record whole when the new one cannot be written", async () => {
    const directory = await makeTemporaryDirectory();
    await createResultCache(directory, writeFileDurably).write(record);
    const failing = createResultCache(directory, async () => {
      throw new Error("disk full");
    });
    await expect(failing.write({ ...record, netns: "/new" })).rejects.toThrow(ResultCacheError);
    expect(await failing.read("net", "cid", "eth0")).toMatchObject({ record: { netns: "/ns" } });
  });

  it("classifies any bytes without throwing", async () => {
    const { cache, file } = await makeCache();
    const keys = ["kind", "containerId", "config", "ifName", "netns", "cniArgs", "capabilityArgs", "result"];
    const bytes = fc.oneof(
      fc.uint8Array(),
      hostileJson([...keys, "cniVersion"]).map((value) => JSON.stringify(value)),
      hostileJson(keys).map((value) => JSON.stringify({ ...(value as object), kind: "cniCacheV1" })),
      fc.nat(libcniRecord.length).map((length) => libcniRecord.slice(0, length)),
    );
    await fc.assert(
      fc.asyncProperty(bytes, async (content) => {
        await writeFile(file, content);
        expect(["missing", "corrupt", "usable"]).toContain((await cache.read("net", "cid", "eth0")).kind);
      }),
      { numRuns: 200 },
    );
  });
});

describe("a durable write", () => {
  it("leaves no temporary file, whether it succeeds or fails", async () => {
    const directory = await makeTemporaryDirectory();
    const file = join(directory, "f");
    await writeFileDurably(file, "one");
    await writeFileDurably(file, "two");
    expect(await readFile(file, "utf8")).toBe("two");
    await mkdir(join(directory, "d"));
    await expect(writeFileDurably(join(directory, "d"), "x")).rejects.toThrow();
    expect((await readdir(directory)).sort()).toEqual(["d", "f"]);
  });
});
