import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type RunningDaemon, startDaemon } from "./daemon.ts";
import { writeManifest } from "./manifests.ts";
import { installRecordingPlugins, type RecordingPlugins } from "./recording-plugins.ts";
import { makeSandbox, type SandboxWishes, type TestSandbox } from "./test-sandbox.ts";

export interface NodeWishes {
  /** Keys of the daemon's configuration beside the directories. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Names of recording plugins; `primary`, `alpha`, `beta` and `gamma` are always there. */
  readonly plugins?: readonly string[];
  /** The primary's list; default: one plugin `primary`. */
  readonly primary?: object;
  /** Manifests that are there before the start, by file name. */
  readonly manifests?: Readonly<Record<string, object | string>>;
  readonly start?: false;
  /** Path of a network namespace that plays the node: what plugins do to links and firewall stays in it. */
  readonly networkNamespace?: string;
}

/** A machine with a daemon of its own below one temporary directory; gone when the test ends. */
export interface TestNode {
  readonly directory: string;
  readonly socket: string;
  readonly stateDir: string;
  readonly cniDir: string;
  readonly confDir: string;
  readonly manifestDir: string;
  readonly configFile: string;
  readonly plugins: RecordingPlugins;
  /** The daemon that runs now. Throws where none was started. */
  daemon(): RunningDaemon;
  /** @param wrapper words before the daemon's command */
  start(args?: readonly string[], wrapper?: readonly string[]): Promise<RunningDaemon>;
  /** A pod's sandbox; writes the pod's manifest where networks are wished. */
  sandbox(wishes?: SandboxWishes): Promise<TestSandbox>;
  manifest(fileName: string, content: object | string): Promise<void>;
  /** Replaces keys of the configuration file in one rename. */
  configure(keys: Readonly<Record<string, unknown>>): Promise<void>;
}

const standardPlugins = ["primary", "alpha", "beta", "gamma"];

export async function useNode(wishes: NodeWishes = {}): Promise<TestNode> {
  const directory = await mkdtemp(join(tmpdir(), "mt-"));
  onTestFinished(
    async () => await rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }),
  );
  const paths = await makeDirectories(directory);
  const plugins = await installRecordingPlugins(directory, [...standardPlugins, ...(wishes.plugins ?? [])]);
  const primary = wishes.primary ?? {
    cniVersion: "1.0.0",
    name: "primary-net",
    plugins: [{ type: "primary" }],
  };
  await writeFile(join(paths.confDir, "10-primary.conflist"), JSON.stringify(primary));
  for (const [name, content] of Object.entries(wishes.manifests ?? {})) {
    await writeManifest(paths.manifestDir, name, content);
  }
  let config: Record<string, unknown> = {
    ...daemonConfig(directory, paths, plugins.binDir),
    ...wishes.config,
  };
  const configFile = join(directory, "daemon-config.json");
  const saveConfig = async () => {
    await writeFile(`${configFile}.tmp`, JSON.stringify(config, null, 2));
    await rename(`${configFile}.tmp`, configFile);
  };
  await saveConfig();
  const running: RunningDaemon[] = [];
  const node: TestNode = {
    directory,
    socket: join(paths.socketDir, "multus.sock"),
    ...paths,
    configFile,
    plugins,
    daemon: () => {
      const last = running.at(-1);
      if (last === undefined) throw new Error("this node's daemon was not started");
      return last;
    },
    start: async (args = [], wrapper = []) => {
      const daemon = await startDaemon({
        configFile,
        socket: node.socket,
        logFile: join(directory, "daemon.log"),
        args,
        wrapper,
        ...(wishes.networkNamespace === undefined ? {} : { networkNamespace: wishes.networkNamespace }),
      });
      running.push(daemon);
      return daemon;
    },
    sandbox: async (sandboxWishes = {}) => await makeSandbox(node, sandboxWishes),
    manifest: async (fileName, content) => await writeManifest(paths.manifestDir, fileName, content),
    configure: async (keys) => {
      config = { ...config, ...keys };
      await saveConfig();
    },
  };
  onTestFinished(async () => await endAll(running));
  if (wishes.start !== false) await node.start();
  return node;
}

interface NodePaths {
  readonly socketDir: string;
  readonly stateDir: string;
  readonly cniDir: string;
  readonly confDir: string;
  readonly manifestDir: string;
}

async function makeDirectories(directory: string): Promise<NodePaths> {
  const paths = {
    socketDir: join(directory, "run"),
    stateDir: join(directory, "state"),
    cniDir: join(directory, "cni"),
    confDir: join(directory, "conf"),
    manifestDir: join(directory, "manifests"),
  };
  for (const path of [paths.confDir, paths.manifestDir]) await mkdir(path);
  return paths;
}

function daemonConfig(directory: string, paths: NodePaths, binDir: string): Record<string, unknown> {
  return {
    ...paths,
    binDir,
    cniConfigDir: join(directory, "net.d"),
    clusterNetwork: join(paths.confDir, "10-primary.conflist"),
    kubernetes: "off",
    logLevel: "debug",
    logToStderr: true,
    shutdownGrace: "3s",
  };
}

async function endAll(running: readonly RunningDaemon[]): Promise<void> {
  for (const daemon of running) {
    daemon.thaw();
    await daemon.kill();
  }
}
