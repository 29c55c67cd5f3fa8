import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileProgram } from "../support/compile-program.ts";
import { type RunningDaemon, startDaemon } from "../support/daemon.ts";
import { definitionManifest, podManifest, writeManifest } from "../support/manifests.ts";
import { makeNamespace } from "../support/network-namespace.ts";

const source = fileURLToPath(new URL("null-plugin.c", import.meta.url));

/** A node whose plugins do nothing. Pod `one` has the primary network, pod `three` two more. */
export interface BenchNode {
  readonly plugin: string;
  /** The plugin's stdin when it is run bare. */
  readonly pluginInput: string;
  readonly shimInput: string;
  env(command: string, pod: string, containerPrefix: string): Record<string, string>;
  start(): Promise<RunningDaemon>;
  remove(): Promise<void>;
}

export async function makeBenchNode(): Promise<BenchNode> {
  const directory = await mkdtemp(join(tmpdir(), "mt-bench-"));
  const namespace = await makeNamespace();
  const [binDir, confDir, manifestDir] = ["bin", "conf", "manifests"].map((name) =>
    join(directory, name),
  ) as [string, string, string];
  for (const path of [binDir, confDir, manifestDir]) await mkdir(path);
  await copyFile(await compileProgram(source), join(binDir, "null"));
  const list = (name: string) => ({ cniVersion: "1.0.0", name, plugins: [{ type: "null" }] });
  await writeFile(join(confDir, "10-primary.conflist"), JSON.stringify(list("primary-net")));
  for (const name of ["a", "b"]) {
    await writeManifest(
      manifestDir,
      `${name}.json`,
      definitionManifest({ name, config: list(`${name}-net`) }),
    );
  }
  await writeManifest(manifestDir, "one.json", podManifest({ name: "one", uid: "uid-one" }));
  await writeManifest(
    manifestDir,
    "three.json",
    podManifest({ name: "three", uid: "uid-three", networks: "a,b" }),
  );
  const files = await writeFiles(directory, { binDir, confDir, manifestDir });
  return {
    plugin: join(binDir, "null"),
    pluginInput: files.pluginInput,
    shimInput: files.shimInput,
    env: (command, pod, containerPrefix) => ({
      PATH: "/usr/sbin:/usr/bin:/sbin:/bin",
      CNI_COMMAND: command,
      CNI_CONTAINERID: containerPrefix,
      CNI_NETNS: namespace.path,
      CNI_IFNAME: "eth0",
      CNI_PATH: binDir,
      CNI_ARGS: `IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=${pod};K8S_POD_UID=uid-${pod}`,
    }),
    start: async () =>
      await startDaemon({
        configFile: files.config,
        socket: join(directory, "run/multus.sock"),
        logFile: join(directory, "daemon.log"),
      }),
    remove: async () => {
      await namespace.remove();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

interface BenchPaths {
  readonly binDir: string;
  readonly confDir: string;
  readonly manifestDir: string;
}

async function writeFiles(
  directory: string,
  paths: BenchPaths,
): Promise<{ config: string; pluginInput: string; shimInput: string }> {
  const files = {
    config: join(directory, "daemon-config.json"),
    pluginInput: join(directory, "plugin.json"),
    shimInput: join(directory, "shim.json"),
  };
  const config = {
    ...paths,
    socketDir: join(directory, "run"),
    cniDir: join(directory, "cni"),
    stateDir: join(directory, "state"),
    cniConfigDir: join(directory, "net.d"),
    clusterNetwork: join(paths.confDir, "10-primary.conflist"),
    kubernetes: "off",
  };
  await writeFile(files.config, JSON.stringify(config));
  await writeFile(
    files.pluginInput,
    JSON.stringify({ cniVersion: "1.0.0", name: "primary-net", type: "null" }),
  );
  const shim = { spoolDir: join(config.stateDir, "spool") };
  const input = { cniVersion: "1.0.0", name: "multus-cni-network", type: "multus-shim", shim };
  await writeFile(files.shimInput, JSON.stringify({ ...input, daemonSocketDir: config.socketDir }));
  return files;
}
