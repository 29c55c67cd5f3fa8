import { mkdir, mkdtemp, rename, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ConfigError } from "../../src/config/config-problem.ts";
import type { DaemonConfig } from "../../src/config/daemon-config.ts";
import { loadDaemonConfig } from "../../src/config/load-daemon-config.ts";
import { type ConfigWatch, watchDaemonConfig } from "../../src/config/watch-daemon-config.ts";

/** Longer than every test: what is seen was seen by an event. */
const never = 600_000;

let directory = "";
let watch: ConfigWatch | undefined;
const changes: DaemonConfig[] = [];
const refusals: unknown[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "multusd-reload-"));
  changes.length = 0;
  refusals.length = 0;
});
afterEach(async () => {
  await watch?.stop();
  await rm(directory, { recursive: true, force: true });
});

async function follow(file: string, rescanMs = never): Promise<ConfigWatch> {
  watch = watchDaemonConfig(file, {
    loaded: await loadDaemonConfig(file),
    onChange: (config) => changes.push(config),
    onRefused: (error) => refusals.push(error),
    settleMs: 20,
    rescanMs,
  });
  return watch;
}

async function levelsBecome(levels: readonly string[]): Promise<void> {
  await vi.waitFor(() => expect(changes.map((config) => config.logLevel)).toEqual(levels), { timeout: 5000 });
}

async function refusalsBecome(count: number): Promise<void> {
  await vi.waitFor(() => expect(refusals).toHaveLength(count), { timeout: 5000 });
}

describe("a configuration file that is written again", () => {
  it("is used when it is whole and valid", async () => {
    const file = join(directory, "daemon-config.json");
    await writeFile(file, '{"logLevel": "error"}');
    await follow(file);
    await writeFile(file, '{"logLevel": "debug"}');
    await levelsBecome(["debug"]);
    expect(refusals).toEqual([]);
  });

  it("is refused as a whole with a mistake, once, and used when it is right again", async () => {
    const file = join(directory, "daemon-config.json");
    await writeFile(file, '{"logLevel": "error"}');
    const following = await follow(file);
    await writeFile(file, '{"logLevel": "debug", "timeouts": {"add": 5}, "limits": {"queue": 0}}');
    await refusalsBecome(1);
    await following.check();
    await following.check();
    expect(refusals).toHaveLength(1);
    expect(refusals[0]).toBeInstanceOf(ConfigError);
    expect(refusals[0]).toMatchObject({ problems: [{ path: "/timeouts/add" }, { path: "/limits/queue" }] });
    expect(changes).toEqual([]);
    await writeFile(file, '{"logLevel": "debug"}');
    await levelsBecome(["debug"]);
  });

  it("is reported as good again when a mistake is taken back", async () => {
    const file = join(directory, "daemon-config.json");
    await writeFile(file, '{"logLevel": "error"}');
    await follow(file);
    await writeFile(file, "{");
    await refusalsBecome(1);
    await writeFile(file, '{"logLevel": "error"}');
    await levelsBecome(["error"]);
  });

  it("is no change when its text stays the same", async () => {
    const file = join(directory, "daemon-config.json");
    await writeFile(file, '{"logLevel": "error"}');
    const following = await follow(file);
    await writeFile(file, '{"logLevel": "error"}');
    await following.check();
    expect([...changes, ...refusals]).toEqual([]);
  });

  it("is not refused for the moment in which an editor has emptied it", async () => {
    const file = join(directory, "daemon-config.json");
    await writeFile(file, '{"logLevel": "error"}');
    const following = await follow(file);
    await writeFile(file, "");
    const looking = following.check();
    await writeFile(file, '{"logLevel": "debug"}');
    await looking;
    await levelsBecome(["debug"]);
    expect(refusals).toEqual([]);
  });

  it("is seen when it was written before the watch began", async () => {
    const file = join(directory, "daemon-config.json");
    await writeFile(file, '{"logLevel": "error"}');
    const loaded = await loadDaemonConfig(file);
    await writeFile(file, '{"logLevel": "debug"}');
    watch = watchDaemonConfig(file, {
      loaded,
      onChange: (config) => changes.push(config),
      onRefused: (error) => refusals.push(error),
      settleMs: 20,
      rescanMs: never,
    });
    await levelsBecome(["debug"]);
  });

  it("that is gone leaves the old one in use and says so", async () => {
    const file = join(directory, "daemon-config.json");
    await writeFile(file, '{"logLevel": "error"}');
    await follow(file);
    await unlink(file);
    await refusalsBecome(1);
    expect(changes).toEqual([]);
  });
});

describe("a mounted ConfigMap", () => {
  it("is seen when its symlink is swapped", async () => {
    for (const [name, level] of [
      ["..2026_01", "error"],
      ["..2026_02", "debug"],
    ] as const) {
      await mkdir(join(directory, name));
      await writeFile(join(directory, name, "daemon-config.json"), JSON.stringify({ logLevel: level }));
    }
    await symlink("..2026_01", join(directory, "..data"));
    await symlink("..data/daemon-config.json", join(directory, "daemon-config.json"));
    await follow(join(directory, "daemon-config.json"));

    await symlink("..2026_02", join(directory, "..data_tmp"));
    await rename(join(directory, "..data_tmp"), join(directory, "..data"));
    await rm(join(directory, "..2026_01"), { recursive: true });

    await levelsBecome(["debug"]);
    expect(refusals).toEqual([]);
  });
});

describe("a directory that is made again", () => {
  it("is found by the rescan, and its events count from then on", async () => {
    const folder = join(directory, "multus.d");
    const file = join(folder, "daemon-config.json");
    await mkdir(folder);
    await writeFile(file, '{"logLevel": "error"}');
    await follow(file, 50);
    await rename(folder, join(directory, "old"));
    await mkdir(folder);
    await writeFile(file, '{"logLevel": "debug"}');
    await vi.waitFor(() => expect(changes.at(-1)?.logLevel).toBe("debug"), { timeout: 5000 });
    await writeFile(file, '{"logLevel": "warn"}');
    await vi.waitFor(() => expect(changes.at(-1)?.logLevel).toBe("warn"), { timeout: 5000 });
  });
});

describe("the watch", () => {
  it("reports a caller's failure to use a snapshot and goes on", async () => {
    const file = join(directory, "daemon-config.json");
    await writeFile(file, "{}");
    watch = watchDaemonConfig(file, {
      loaded: await loadDaemonConfig(file),
      onChange: (config) => {
        changes.push(config);
        throw new Error("cannot be used");
      },
      onRefused: (error) => refusals.push(error),
      settleMs: 20,
      rescanMs: never,
    });
    await writeFile(file, '{"logLevel": "debug"}');
    await refusalsBecome(1);
    await writeFile(file, '{"logLevel": "warn"}');
    await levelsBecome(["debug", "warn"]);
  });

  it("says nothing after it was stopped", async () => {
    const file = join(directory, "daemon-config.json");
    await writeFile(file, "{}");
    const following = await follow(file);
    await writeFile(file, '{"logLevel": "debug"}');
    await following.stop();
    await following.check();
    expect([...changes, ...refusals]).toEqual([]);
  });
});
