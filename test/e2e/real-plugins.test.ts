import { cp, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { missingForDebianPlugins } from "../support/machine.ts";
import { definitionManifest } from "../support/manifests.ts";
import { makeNamespace, type TestNamespace } from "../support/network-namespace.ts";
import { type TestNode, useNode } from "../support/test-node.ts";
import { waitFor } from "../support/wait-for.ts";

interface RealNode {
  readonly node: TestNode;
  /** Plays the node: its bridges, links and firewall are real, and gone with it. */
  readonly host: TestNamespace;
  /** Addresses that host-local still holds. */
  leases(): Promise<readonly string[]>;
}

const version = { cniVersion: "0.4.0" };

async function useHost(): Promise<TestNamespace> {
  const host = await makeNamespace();
  onTestFinished(async () => await host.remove());
  await host.run("ip", "link", "set", "lo", "up");
  await addLan(host);
  return host;
}

async function addLan(host: TestNamespace): Promise<void> {
  await host.run("ip", "link", "add", "lan", "type", "veth", "peer", "name", "lan-far");
  for (const link of ["lan", "lan-far"]) await host.run("ip", "link", "set", link, "up");
}

function primaryList(dataDir: string): object {
  const ipam = {
    type: "host-local",
    ranges: [[{ subnet: "10.211.0.0/24" }]],
    routes: [{ dst: "0.0.0.0/0" }],
    dataDir,
  };
  const bridge = { type: "bridge", bridge: "br0", isGateway: true, ipMasq: true, ipam };
  const portmap = { type: "portmap", capabilities: { portMappings: true }, snat: true };
  return { ...version, name: "primary-net", plugins: [bridge, portmap] };
}

async function useNodeWithDebianPlugins(): Promise<RealNode> {
  const host = await useHost();
  const node = await useNode({ start: false, networkNamespace: host.path });
  const dataDir = join(node.directory, "ipam");
  await cp("/usr/lib/cni", node.plugins.binDir, { recursive: true });
  await writeFile(join(node.confDir, "10-primary.conflist"), JSON.stringify(primaryList(dataDir)));
  const macvlan = {
    ...version,
    type: "macvlan",
    master: "lan",
    ipam: { type: "host-local", ranges: [[{ subnet: "10.212.0.0/24" }]], dataDir },
  };
  const fixed = {
    ...version,
    type: "bridge",
    bridge: "br1",
    capabilities: { ips: true },
    ipam: { type: "static" },
  };
  await node.manifest("mac.json", definitionManifest({ name: "mac", config: macvlan }));
  await node.manifest("fixed.json", definitionManifest({ name: "fixed", config: fixed }));
  await node.start();
  const leases = async () => {
    const names = await readdir(dataDir, { recursive: true });
    return names.filter((name) => /\/\d+\.\d+\.\d+\.\d+$/.test(name));
  };
  return { node, host, leases };
}

describe("Debian's own plugins in a real namespace", () => {
  beforeEach((context) => {
    const missing = missingForDebianPlugins();
    context.skip(missing !== undefined, missing);
  });

  it("bridge with portmap, macvlan and a static address come and go without a trace", async () => {
    const { node, host, leases } = await useNodeWithDebianPlugins();
    const networks = '[{"name":"mac","interface":"blue0"},{"name":"fixed","ips":["10.213.9.9/24"]}]';
    const sandbox = await node.sandbox({ networks });
    const runtimeConfig = { portMappings: [{ hostPort: 20_080, containerPort: 80, protocol: "tcp" }] };

    const added = await sandbox.run("ADD", { ...version, stdin: { runtimeConfig } });
    const addresses = await sandbox.namespace.run("ip", "-br", "addr");
    const leasesBetween = await leases();
    const rulesBetween = await host.run("iptables-save", "-t", "nat");
    const deleted = await sandbox.run("DEL", { ...version, stdin: { runtimeConfig } });

    expect(added).toMatchObject({ code: 0, printed: { cniVersion: "0.4.0" } });
    expect(addresses).toMatch(/^eth0@\S+\s+UP\s+10\.211\./m);
    expect(addresses).toMatch(/^blue0@\S+\s+UP\s+10\.212\./m);
    expect(addresses).toMatch(/^net2@\S+\s+UP\s+10\.213\.9\.9\/24/m);
    expect(leasesBetween).toHaveLength(2);
    expect(rulesBetween).toContain("--dport 20080");
    expect(deleted).toMatchObject({ code: 0, stdout: "" });
    expect(await sandbox.namespace.run("ip", "-br", "link")).not.toMatch(/eth0|blue0|net2/);
    expect(await host.run("ip", "-br", "link")).not.toMatch(/veth/);
    expect(await host.run("iptables-save", "-t", "nat")).not.toContain(sandbox.containerId);
    expect(await leases()).toEqual([]);
    expect(await node.daemon().get("/v1/attachments")).toEqual({ items: [] });
  });

  it("CHECK finds what ADD made, and what has gone since", async () => {
    const { node } = await useNodeWithDebianPlugins();
    // No published port: portmap 1.1.1 looks for its IPv4 rules in ip6tables too.
    const sandbox = await node.sandbox({ networks: "mac" });
    expect((await sandbox.run("ADD", version)).code).toBe(0);

    const whole = await sandbox.run("CHECK", version);
    await sandbox.namespace.run("ip", "link", "delete", "net1");
    const broken = await sandbox.run("CHECK", version);

    expect(whole).toMatchObject({ code: 0, stdout: "" });
    expect(broken).toMatchObject({ code: 1, printed: { msg: expect.stringContaining("default/mac") } });
    expect(await sandbox.run("DEL", version)).toMatchObject({ code: 0 });
  });

  it("A20: a parent link that vanished hangs no pod, and the address is owed until its plugin can give it back", async () => {
    const { node, host, leases } = await useNodeWithDebianPlugins();
    const sandbox = await node.sandbox({ networks: "mac" });
    expect((await sandbox.run("ADD", version)).code).toBe(0);
    await host.run("ip", "link", "delete", "lan");

    const deleted = [await sandbox.run("DEL", version), await sandbox.run("DEL", { ...version, netns: "" })];
    const { items } = await node.daemon().get<{ items: unknown[] }>("/v1/deletions");
    await addLan(host);

    for (const one of deleted) expect(one).toMatchObject({ code: 0, stdout: "" });
    expect(items).toMatchObject([{ network: "default/mac", state: "pending" }]);
    await waitFor("settlement", async () => (await leases()).length === 0);
    expect(await node.daemon().get("/v1/attachments")).toEqual({ items: [] });
  });

  it("A16: a namespace that vanished before DEL is no reason to keep an address", async () => {
    const { node, leases } = await useNodeWithDebianPlugins();
    const sandbox = await node.sandbox({ networks: "mac" });
    expect((await sandbox.run("ADD", version)).code).toBe(0);
    await sandbox.namespace.remove();

    const deleted = await sandbox.run("DEL", { ...version, netns: "" });

    expect(deleted).toMatchObject({ code: 0, stdout: "" });
    expect(await leases()).toEqual([]);
  });
});
