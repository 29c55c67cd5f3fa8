import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type CorruptFile, Quarantine } from "../../../src/state/quarantine.ts";
import { UpstreamDirectory } from "../../../src/state/upstream-files.ts";
import { temporaryDirectory } from "./state-fixture.ts";

async function upstreamDirectory() {
  const cniDir = await temporaryDirectory();
  const stateDir = join(cniDir, "multusd");
  await mkdir(stateDir);
  const corrupt: CorruptFile[] = [];
  const quarantine = new Quarantine(join(stateDir, "quarantine"), (found) => corrupt.push(found));
  return { cniDir, stateDir, corrupt, upstream: new UpstreamDirectory({ cniDir, stateDir, quarantine }) };
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

describe("UpstreamDirectory", () => {
  it("writes what upstream reads: its keys in its order, a list told from a plugin, mode 0600", async () => {
    const { cniDir, upstream } = await upstreamDirectory();
    const list =
      '{"cniVersion":"1.0.0","name":"pod","plugins":[{"type":"bridge","ipam":{"type":"host-local"},"x":1}]}';
    const single = '{"cniVersion":"0.3.1","name":"mac","type":"macvlan"}';
    await upstream.writeScratch("c1", [
      { config: list, name: "pod" },
      { config: single, name: "default/mac", interfaceRequest: "net1", deviceId: "0000:03:00.1" },
    ]);

    const file = join(cniDir, "c1");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await expect(readFile(file, "utf8")).resolves.toBe(
      `[{"Conf":{"ipam":{}},"ConfList":{"cniVersion":"1.0.0","name":"pod","plugins":[{"type":"bridge","ipam":{"type":"host-local"}}]},` +
        `"Name":"pod","IsFilterV4Gateway":false,"IsFilterV6Gateway":false,"Bytes":"${base64(list)}"},` +
        `{"Conf":{"cniVersion":"0.3.1","name":"mac","type":"macvlan","ipam":{}},"ConfList":{},"Name":"default/mac",` +
        `"ifnameRequest":"net1","IsFilterV4Gateway":false,"IsFilterV6Gateway":false,"deviceID":"0000:03:00.1","Bytes":"${base64(single)}"}]`,
    );
  });

  it("makes the directory for its owner alone where it is missing", async () => {
    const { cniDir, stateDir, upstream: _upstream } = await upstreamDirectory();
    const quarantine = new Quarantine(join(stateDir, "quarantine"), () => undefined);
    const deep = join(cniDir, "a", "b");
    await new UpstreamDirectory({ cniDir: deep, stateDir, quarantine }).writeScratch("c1", []);

    expect((await stat(deep)).mode & 0o777).toBe(0o700);
  });

  it("reads keys in any letter case, as Go does, and falls back to the parsed form without Bytes", async () => {
    const { cniDir, upstream } = await upstreamDirectory();
    const file = [
      { name: "a", BYTES: base64('{"type":"bridge"}'), IfNameRequest: "net1", ipRequest: null, extra: 1 },
      { Name: "b", Conf: { type: "macvlan" }, ConfList: {}, Bytes: null },
      { Name: "c", Conf: { ipam: {} }, ConfList: { name: "c", plugins: [{ type: "tuning" }] } },
    ];
    await writeFile(join(cniDir, "c1"), JSON.stringify(file));

    await expect(upstream.readScratch("c1")).resolves.toEqual({
      kind: "delegates",
      delegates: [
        { config: '{"type":"bridge"}', name: "a", interfaceRequest: "net1" },
        { config: '{"type":"macvlan"}', name: "b" },
        { config: '{"name":"c","plugins":[{"type":"tuning"}]}', name: "c" },
      ],
    });
  });

  it("leaves out what holds no configuration and keeps the rest", async () => {
    const { cniDir, upstream } = await upstreamDirectory();
    const file = [null, 5, {}, { Bytes: "%%%" }, { Bytes: base64("[]") }, { Bytes: base64('{"type":"x"}') }];
    await writeFile(join(cniDir, "c1"), JSON.stringify(file));

    const found = await upstream.readScratch("c1");
    expect(found).toMatchObject({ kind: "delegates", delegates: [{ config: '{"type":"x"}' }] });
  });

  it.each(["", "null", "[]", "{}", '[{"Name":"x"}]', "[", "\0".repeat(4096)])(
    "moves a file away that holds %j, and counts it",
    async (content) => {
      const { cniDir, upstream, corrupt } = await upstreamDirectory();
      await writeFile(join(cniDir, "c1"), content);

      await expect(upstream.readScratch("c1")).resolves.toMatchObject({ kind: "unreadable" });
      expect(corrupt).toMatchObject([{ kind: "scratch" }]);
      await expect(readdir(cniDir)).resolves.toEqual(["multusd"]);
    },
  );

  it("never touches the cache, the state directory or anything outside, whatever the container is called", async () => {
    const { cniDir, stateDir, upstream, corrupt } = await upstreamDirectory();
    await mkdir(join(cniDir, "results"));
    for (const containerId of ["results", "multusd", "..", ".", "../x", "a/b", "", ".hidden"]) {
      await expect(upstream.readScratch(containerId)).resolves.toEqual({ kind: "missing" });
      await upstream.writeScratch(containerId, []);
      await upstream.removeScratch(containerId);
    }
    const quarantine = new Quarantine(join(stateDir, "quarantine"), () => undefined);
    const above = new UpstreamDirectory({ cniDir, stateDir: join(cniDir, "deep", "state"), quarantine });
    await mkdir(join(cniDir, "deep"));
    await expect(above.readScratch("deep")).resolves.toEqual({ kind: "missing" });

    expect((await readdir(cniDir)).sort()).toEqual(["deep", "multusd", "results"]);
    expect(corrupt).toEqual([]);
  });

  it("puts aside the cache file that it is told of, and none outside the cache", async () => {
    const { cniDir, upstream, corrupt } = await upstreamDirectory();
    await mkdir(join(cniDir, "results"));
    await writeFile(join(cniDir, "results", "net-c1-eth0"), "");
    await writeFile(join(cniDir, "c1"), "");
    await upstream.quarantineCache("net-c1-eth0");
    await upstream.quarantineCache("../c1");
    await upstream.quarantineCache("");

    await expect(readdir(join(cniDir, "results"))).resolves.toEqual([]);
    expect((await readdir(cniDir)).sort()).toEqual(["c1", "multusd", "results"]);
    expect(corrupt).toMatchObject([
      { kind: "cache", quarantined: expect.stringContaining("cache-net-c1-eth0-") },
    ]);
  });
});
