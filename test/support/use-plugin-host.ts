import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { PluginInvocation } from "../../src/cni/execute-plugin.ts";
import { type HostRestart, type PluginHost, startPluginHost } from "../../src/host/plugin-host.ts";
import { hostBinary } from "./host-binary.ts";
import { childrenOf } from "./processes.ts";
import { RecordingLog } from "./recording-log.ts";

export interface UsedPluginHost {
  readonly host: PluginHost;
  readonly log: RecordingLog;
  readonly restarts: readonly HostRestart[];
  /** For scripts of the test. */
  readonly directory: string;
  readonly runsDirectory: string;
  /** Process ID of the `multus-host` that runs now. */
  pid(): Promise<number>;
}

/** A directory that goes with the test. */
export async function useDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "multus-host-"));
  onTestFinished(async () => await rm(directory, { recursive: true, force: true }));
  return directory;
}

/** A real `multus-host` that is stopped with the test. */
export async function usePluginHost(binary?: string): Promise<UsedPluginHost> {
  const directory = await useDirectory();
  const runsDirectory = join(directory, "runs");
  const log = new RecordingLog();
  const restarts: HostRestart[] = [];
  const host = await startPluginHost({
    binary: binary ?? (await hostBinary()),
    runsDirectory,
    bootId: "boot-1",
    log,
    onRestart: (restart) => restarts.push(restart),
  });
  onTestFinished(async () => await host.stop());
  return { host, log, restarts, directory, runsDirectory, pid: async () => await hostPid(runsDirectory) };
}

/** Of this process's children, the one that serves that directory. */
async function hostPid(runsDirectory: string): Promise<number> {
  for (const pid of await childrenOf(process.pid)) {
    const commandLine = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    if (commandLine.split("\0").includes(runsDirectory)) return pid;
  }
  throw new Error("no multus-host runs");
}

export function invocationOf(path: string, changes: Partial<PluginInvocation> = {}): PluginInvocation {
  return {
    path,
    env: { CNI_COMMAND: "ADD", PATH: "/usr/bin:/bin" },
    stdin: "{}",
    timeoutMs: 10_000,
    owner: "container-1",
    ...changes,
  };
}
