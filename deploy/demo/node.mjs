import { copyFile, cp, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { must, run } from "./run.mjs";

/** Everything that the demo makes lies here, in namespaces named `mdemo-…`, and nowhere else. */
export const home = "/var/lib/multusd-demo";
const repository = new URL("../..", import.meta.url).pathname;
const examples = join(repository, "deploy/examples");
const debianPlugins = "/usr/lib/cni";

/**
 * The node of the demo is a network namespace of its own: bridges, port rules and forwarding are real, and the links
 * and firewall of this machine stay as they are.
 */
export const nodeNamespace = "mdemo-node";
const switchIsDown = join(home, "switch-is-down");

export const dist = (name) => join(repository, "dist", name);
export const inNode = async (...command) =>
  await must("nsenter", `--net=/run/netns/${nodeNamespace}`, ...command);
export const inPod = async (pod, ...command) =>
  await must("nsenter", `--net=${namespacePath(pod)}`, ...command);
export const namespacePath = (pod) => `/run/netns/mdemo-${pod}`;

/** A fresh node: directories, plugins, the example manifests, a link to a LAN. */
export async function prepareNode() {
  await mkdir(home, { mode: 0o700 });
  for (const name of ["bin", "manifests", "net.d"]) await mkdir(join(home, name));
  for (const plugin of await readdir(debianPlugins))
    await symlink(join(debianPlugins, plugin), join(home, "bin", plugin));
  await copyFile(join(repository, "deploy/demo/flaky-bridge"), join(home, "bin/flaky-bridge"));
  await cp(join(examples, "manifests"), join(home, "manifests"), { recursive: true });
  await copyFile(join(examples, "daemon-config.json"), configFile);
  await must("ip", "netns", "add", nodeNamespace);
  await inNode("ip", "link", "set", "lo", "up");
  await inNode("ip", "link", "add", "mdemo-lan", "type", "veth", "peer", "name", "mdemo-lan-far");
  await inNode("ip", "link", "set", "mdemo-lan", "up");
  await inNode("ip", "link", "set", "mdemo-lan-far", "up");
}

export const configFile = join(home, "daemon-config.json");

export async function addPodNamespace(pod) {
  await must("ip", "netns", "add", `mdemo-${pod}`);
}

export async function removePodNamespace(pod) {
  await run("ip", ["netns", "delete", `mdemo-${pod}`]);
}

export async function breakSwitch() {
  await writeFile(switchIsDown, "");
}

export async function repairSwitch() {
  await rm(switchIsDown, { force: true });
}

/** Calls of the plugin behind the network `storage`: `COMMAND containerID ifName` each. */
export async function storageCalls() {
  const text = await readFile(join(home, "flaky-bridge.calls"), "utf8").catch(() => "");
  return text.split("\n").filter((line) => line !== "");
}

/** Addresses that host-local still holds. */
export async function leases() {
  const found = await readdir(join(home, "ipam"), { recursive: true }).catch(() => []);
  return found.filter((name) => /\/\d+\.\d+\.\d+\.\d+$/.test(name));
}

/** What the demo made and is still there; also takes away what an interrupted demo left before. */
export async function removeNode() {
  for (const name of await namespaces()) await run("ip", ["netns", "delete", name]);
  await rm(home, { recursive: true, force: true, maxRetries: 3, retryDelay: 100 });
}

export async function namespaces() {
  const list = JSON.parse((await must("ip", "-json", "netns", "list")) || "[]");
  return list.map(({ name }) => name).filter((name) => name.startsWith("mdemo-"));
}
