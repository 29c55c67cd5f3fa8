import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import {
  type Attachment,
  addNetworkList,
  type CniResult,
  type CniRuntime,
  checkNetworkList,
  createResultCache,
  deleteNetworkList,
  type NetworkList,
  type RunLimits,
  writeFileDurably,
} from "../../src/cni/index.ts";
import { hostBinary } from "./host-binary.ts";
import { makeNamespace, type TestNamespace } from "./network-namespace.ts";
import { writeScript } from "./scripted-plugin.ts";
import { useDirectory, usePluginHost } from "./use-plugin-host.ts";

const limits: RunLimits = { pluginTimeoutMs: () => 30_000 };

/** A node that is a namespace, a pod in another, and Debian's plugins between them by src/cni and multus-host. */
export interface PluginWiring {
  /** What plugins do to links, qdiscs and firewall stays in it. Has a link `lan` to nowhere. */
  readonly node: TestNamespace;
  readonly pod: TestNamespace;
  readonly containerId: string;
  /** For host-local. */
  readonly dataDir: string;
  add(list: NetworkList, more?: Partial<Attachment>): Promise<CniResult>;
  check(list: NetworkList, more?: Partial<Attachment>): Promise<void>;
  delete(list: NetworkList, more?: Partial<Attachment>): Promise<void>;
  /** Addresses that host-local still holds. */
  leases(): Promise<readonly string[]>;
}

export async function usePluginWiring(): Promise<PluginWiring> {
  const [node, pod] = [await useNodeNamespace(), await useNamespace()];
  const directory = await useDirectory();
  const cni: CniRuntime = {
    executePlugin: await executeInside(node),
    cache: createResultCache(join(directory, "cache"), writeFileDurably),
    baseEnv: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" },
  };
  const containerId = "mt-debian";
  const attachment = (more: Partial<Attachment> = {}): Attachment => ({
    containerId,
    netns: pod.path,
    ifName: "eth0",
    args: [["IgnoreUnknown", "1"]],
    capabilityArgs: {},
    searchPath: ["/usr/lib/cni"],
    ...more,
  });
  const dataDir = join(directory, "ipam");
  return {
    node,
    pod,
    containerId,
    dataDir,
    add: async (list, more) => await addNetworkList(cni, list, attachment(more), limits),
    check: async (list, more) => await checkNetworkList(cni, list, attachment(more), "from-cache", limits),
    delete: async (list, more) => void (await deleteNetworkList(cni, list, attachment(more), limits)),
    leases: async () => await readLeases(dataDir),
  };
}

/** Why the commands of a shell script fail in a namespace of their own; `undefined`: they do not. */
export async function whyNotInNamespace(script: string): Promise<string | undefined> {
  const namespace = await makeNamespace();
  try {
    await namespace.run("sh", "-ec", script);
    return undefined;
  } catch (error) {
    return (error as { readonly stderr?: string }).stderr?.trim().split("\n")[0] ?? String(error);
  } finally {
    await namespace.remove();
  }
}

async function useNamespace(): Promise<TestNamespace> {
  const namespace = await makeNamespace();
  onTestFinished(async () => await namespace.remove());
  return namespace;
}

async function useNodeNamespace(): Promise<TestNamespace> {
  const node = await useNamespace();
  await node.run("ip", "link", "add", "lan", "type", "veth", "peer", "name", "lan-far");
  for (const link of ["lo", "lan", "lan-far"]) await node.run("ip", "link", "set", link, "up");
  return node;
}

/** By a `multus-host` that is itself inside, so that all it runs is too. */
async function executeInside(node: TestNamespace): Promise<CniRuntime["executePlugin"]> {
  const body = `exec nsenter --net=${node.path} ${await hostBinary()} "$@"`;
  const wrapper = await writeScript(await useDirectory(), "multus-host", body);
  return (await usePluginHost(wrapper)).host.executePlugin;
}

async function readLeases(dataDir: string): Promise<readonly string[]> {
  const names = await readdir(dataDir, { recursive: true }).catch(() => []);
  return names.filter((name) => /\/[0-9a-f:.]+$/.test(name));
}
