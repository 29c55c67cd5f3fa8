import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  addNetworkList,
  type CniRuntime,
  createResultCache,
  deleteNetworkList,
  findNetworkList,
  writeFileDurably,
} from "../../src/cni/index.ts";
import { startPluginHost } from "../../src/host/plugin-host.ts";
import { compileProgram } from "../support/compile-program.ts";
import { hostBinary } from "../support/host-binary.ts";
import { RecordingLog } from "../support/recording-log.ts";
import { timeRuns } from "./timed-runs.ts";

const nullPlugin = fileURLToPath(new URL("null-plugin.c", import.meta.url));
const name = "chain";
const netns = "/run/netns/nobody";

/** Three plugins that do nothing, as files on disk. */
export interface Chain {
  /** Milliseconds of each call by src/cni and multus-host, cached results made durable. */
  measureOurs(count: number): Promise<ChainTimes>;
  /** Of each run of `cnitool`, its own start included. */
  measureCnitool(cnitool: string, count: number): Promise<ChainTimes>;
  remove(): Promise<void>;
}

export interface ChainTimes {
  readonly add: readonly number[];
  readonly delete: readonly number[];
}

export async function makeChain(): Promise<Chain> {
  const directory = await mkdtemp(join(tmpdir(), "mt-chain-"));
  const [binDir, confDir] = [join(directory, "bin"), join(directory, "conf")];
  for (const path of [binDir, confDir]) await mkdir(path);
  const types = ["null1", "null2", "null3"];
  for (const type of types) await copyFile(await compileProgram(nullPlugin), join(binDir, type));
  const list = { cniVersion: "1.0.0", name, plugins: types.map((type) => ({ type })) };
  await writeFile(join(confDir, "10-chain.conflist"), JSON.stringify(list));
  return {
    measureOurs: async (count) => await timeOurs(directory, { binDir, confDir }, count),
    measureCnitool: async (cnitool, count) => await timeCnitool(cnitool, { binDir, confDir }, count),
    remove: async () => await rm(directory, { recursive: true, force: true }),
  };
}

interface ChainPaths {
  readonly binDir: string;
  readonly confDir: string;
}

async function timeOurs(directory: string, paths: ChainPaths, count: number): Promise<ChainTimes> {
  const host = await startPluginHost({
    binary: await hostBinary(),
    runsDirectory: join(directory, "runs"),
    bootId: "bench",
    log: new RecordingLog(),
    onRestart: () => undefined,
  });
  const cni: CniRuntime = {
    executePlugin: host.executePlugin,
    cache: createResultCache(join(directory, "cache"), writeFileDurably),
    baseEnv: {},
  };
  const limits = { pluginTimeoutMs: () => 10_000 };
  const attachment = { netns, ifName: "eth0", args: [], capabilityArgs: {}, searchPath: [paths.binDir] };
  // The list is read anew each time, as `cnitool` does.
  const list = async () => await findNetworkList(paths.confDir, name);
  const add = async () =>
    await addNetworkList(cni, await list(), { ...attachment, containerId: "bench" }, limits);
  const del = async () =>
    await deleteNetworkList(cni, await list(), { ...attachment, containerId: "bench" }, limits);
  try {
    for (let warm = 0; warm < 10; warm += 1) await add();
    return { add: await time(add, count), delete: await time(del, count) };
  } finally {
    await host.stop();
  }
}

async function time(action: () => Promise<unknown>, count: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let once = 0; once < count; once += 1) {
    const started = performance.now();
    await action();
    times.push(performance.now() - started);
  }
  return times;
}

async function timeCnitool(cnitool: string, paths: ChainPaths, count: number): Promise<ChainTimes> {
  const runs = (command: string) => ({
    program: cnitool,
    args: [command, name, netns],
    // Its cache has a fixed place, which is not ours to write to.
    wrapper: ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs mt-bench /var/lib && exec "$@"', "sh"],
    count,
    stdinFile: "/dev/null",
    env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", NETCONFPATH: paths.confDir, CNI_PATH: paths.binDir },
  });
  return { add: await timeRuns(runs("add")), delete: await timeRuns(runs("del")) };
}
