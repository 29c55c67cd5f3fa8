import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import {
  type Attachment,
  type CniRuntime,
  createResultCache,
  type NetworkList,
  type PluginRun,
  parseNetworkList,
  type ResultCache,
  type RunLimits,
  writeFileDurably,
} from "../../../src/cni/index.ts";
import { type PluginHost, startPluginHost } from "../../../src/host/plugin-host.ts";
import { hostBinary, hostBuildMs } from "../../support/host-binary.ts";
import type { RecordedCall } from "../../support/recorded-calls.ts";
import { RecordingLog } from "../../support/recording-log.ts";
import { installRecordingPlugins, type RecordingPlugins } from "../../support/recording-plugins.ts";
import { writeScript } from "../../support/scripted-plugin.ts";

export const noLimits: RunLimits = { pluginTimeoutMs: () => 20_000 };

/** Plugins p1 to p3 in a directory of the test's own, run as processes by the file's `multus-host`. */
export interface CaseRig {
  readonly directory: string;
  readonly plugins: RecordingPlugins;
  readonly cache: ResultCache;
  /** What `onPluginRun` was told. */
  readonly runs: readonly PluginRun[];
  /** With the rig's cache; without the environment of this process. */
  runtime(more?: Partial<CniRuntime>): CniRuntime;
  attachment(more?: Partial<Attachment>): Attachment;
  /** File in which libcni's cache has that attachment. */
  cacheFile(name?: string): string;
  /** A shell script in the place of a plugin; returns its path. */
  script(type: string, body: string): Promise<string>;
  /** `type command` of each process that ran, in order. */
  order(): Promise<readonly string[]>;
  /** The call of `type command`, such as `p1 ADD`. Throws if it did not run. */
  call(run: string): Promise<RecordedCall>;
  /** What that call got on stdin, parsed. */
  stdin(run: string): Promise<Record<string, unknown>>;
}

/** One `multus-host` for the tests of a file; the function that is returned makes what one test needs. */
export function shareHost(): () => Promise<CaseRig> {
  const started: { host?: PluginHost; directory?: string } = {};
  beforeAll(async () => {
    const directory = await mkdtemp(join(tmpdir(), "mt-cases-"));
    started.directory = directory;
    const runsDirectory = join(directory, "runs");
    const log = new RecordingLog();
    started.host = await startPluginHost({
      binary: await hostBinary(),
      runsDirectory,
      bootId: "boot-1",
      log,
      onRestart: () => undefined,
    });
  }, hostBuildMs);
  afterAll(async () => {
    await started.host?.stop();
    if (started.directory !== undefined) await rm(started.directory, { recursive: true, force: true });
  });
  return async () => {
    if (started.host === undefined) throw new Error("multus-host was not started");
    return await makeRig(started.host);
  };
}

async function makeRig(host: PluginHost): Promise<CaseRig> {
  const directory = await mkdtemp(join(tmpdir(), "mt-case-"));
  onTestFinished(async () => await rm(directory, { recursive: true, force: true }));
  const plugins = await installRecordingPlugins(directory, ["p1", "p2", "p3"]);
  const cache = createResultCache(join(directory, "cache"), writeFileDurably);
  const runs: PluginRun[] = [];
  const call = async (run: string) => {
    const calls = await plugins.calls();
    const found = calls.findLast((one) => nameOf(one) === run);
    if (found === undefined) throw new Error(`${run} is not among ${calls.map(nameOf).join(", ")}`);
    return found;
  };
  return {
    directory,
    plugins,
    cache,
    runs,
    runtime: (more = {}) => ({
      executePlugin: host.executePlugin,
      baseEnv: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" },
      cache,
      onPluginRun: (run) => runs.push(run),
      ...more,
    }),
    attachment: (more = {}) => ({
      containerId: "cid",
      netns: "/run/netns/x",
      ifName: "eth0",
      args: [],
      capabilityArgs: {},
      searchPath: [plugins.binDir],
      ...more,
    }),
    cacheFile: (name = "net-cid-eth0") => join(directory, "cache", "results", name),
    script: async (type, body) => await writeScript(plugins.binDir, type, body),
    order: async () => (await plugins.calls()).map(nameOf),
    call,
    stdin: async (run) => JSON.parse((await call(run)).stdin) as Record<string, unknown>,
  };
}

function nameOf(call: RecordedCall): string {
  return `${call.type} ${call.command}`;
}

/** List `net` of version 1.1.0 with p1 to p3; `plugins` are further keys of each, by position. */
export function listOf(
  keys: Readonly<Record<string, unknown>> = {},
  plugins: readonly Readonly<Record<string, unknown>>[] = [],
): NetworkList {
  const all = ["p1", "p2", "p3"].map((type, index) => ({ type, ...plugins[index] }));
  return parseNetworkList(JSON.stringify({ cniVersion: "1.1.0", name: "net", plugins: all, ...keys }));
}

/** A list whose only plugin is p1. */
export function listOfOne(plugin: Readonly<Record<string, unknown>> = {}): NetworkList {
  return listOf({ plugins: [{ type: "p1", ...plugin }] });
}

/** A result that has one address, as text. */
export function addressResult(cniVersion: string): string {
  const version = cniVersion.startsWith("0.") ? { version: "4" } : {};
  return JSON.stringify({ cniVersion, ips: [{ ...version, address: "10.0.0.1/8" }] });
}

/** The error that `running` ends with. */
export async function failureOf(running: Promise<unknown>): Promise<unknown> {
  return await running.then(
    () => {
      throw new Error("it succeeded");
    },
    (error: unknown) => error,
  );
}
