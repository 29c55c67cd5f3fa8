import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { cp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { missingForDebianPlugins } from "../support/machine.ts";
import { definitionManifest } from "../support/manifests.ts";
import { type TestNode, useNode } from "../support/test-node.ts";

const run = promisify(execFile);

interface Links {
  readonly bridge: string;
  readonly second: string;
  readonly parent: string;
}

/** Names of links that only this test has, at most 15 characters; all of them gone when it ends. */
async function useLinks(): Promise<Links> {
  const tag = randomBytes(3).toString("hex");
  const links = { bridge: `mt${tag}a`, second: `mt${tag}b`, parent: `mt${tag}v` };
  onTestFinished(async () => {
    for (const link of Object.values(links)) await run("ip", ["link", "delete", link]).catch(() => undefined);
  });
  await run("ip", ["link", "add", links.parent, "type", "veth", "peer", "name", `${links.parent}p`]);
  await run("ip", ["link", "set", links.parent, "up"]);
  await run("ip", ["link", "set", `${links.parent}p`, "up"]);
  return links;
}

async function useNodeWithDebianPlugins(links: Links): Promise<TestNode> {
  const third = 1 + (Number.parseInt(links.bridge.slice(2, 4), 16) % 250);
  const ranges = (second: number) => [[{ subnet: `10.${second}.${third}.0/24` }]];
  const node = await useNode({
    start: false,
    primary: {
      cniVersion: "0.4.0",
      name: `prim-${links.bridge}`,
      plugins: [
        {
          type: "bridge",
          bridge: links.bridge,
          isGateway: true,
          ipMasq: true,
          ipam: { type: "host-local", ranges: ranges(211), routes: [{ dst: "0.0.0.0/0" }], dataDir: "DATA" },
        },
        { type: "portmap", capabilities: { portMappings: true }, snat: true },
      ],
    },
  });
  const dataDir = join(node.directory, "ipam");
  await cp("/usr/lib/cni", node.plugins.binDir, { recursive: true });
  const primary = join(node.confDir, "10-primary.conflist");
  await run("sed", ["-i", `s|DATA|${dataDir}|`, primary]);
  const macvlan = {
    cniVersion: "0.4.0",
    name: `mac-${links.parent}`,
    type: "macvlan",
    master: links.parent,
    ipam: { type: "host-local", ranges: ranges(212), dataDir },
  };
  const fixed = {
    cniVersion: "0.4.0",
    name: `fix-${links.second}`,
    type: "bridge",
    bridge: links.second,
    capabilities: { ips: true },
    ipam: { type: "static" },
  };
  await node.manifest("mac.yaml", definitionManifest({ name: "mac", config: macvlan }));
  await node.manifest("fixed.yaml", definitionManifest({ name: "fixed", config: fixed }));
  await node.start();
  return node;
}

describe("Debian's own plugins in a real namespace", () => {
  beforeEach((context) => {
    const missing = missingForDebianPlugins();
    context.skip(missing !== undefined, missing);
  });

  it("bridge with portmap, macvlan and a static address come and go without a trace", async () => {
    const links = await useLinks();
    const node = await useNodeWithDebianPlugins(links);
    const networks = '[{"name":"mac","interface":"blue0"},{"name":"fixed","ips":["10.213.9.9/24"]}]';
    const sandbox = await node.sandbox({ networks });
    const hostPort = 20_000 + Number.parseInt(links.bridge.slice(2, 5), 16);
    const runtimeConfig = { portMappings: [{ hostPort, containerPort: 80, protocol: "tcp" }] };

    const added = await sandbox.run("ADD", { cniVersion: "0.4.0", stdin: { runtimeConfig } });
    const addresses = await sandbox.namespace.run("ip", "-br", "addr");
    const checked = await sandbox.run("CHECK", { cniVersion: "0.4.0" });
    const rulesBetween = (await run("iptables-save", ["-t", "nat"])).stdout;
    const deleted = await sandbox.run("DEL", { cniVersion: "0.4.0", stdin: { runtimeConfig } });

    expect(added).toMatchObject({ code: 0, printed: { cniVersion: "0.4.0" } });
    expect(addresses).toMatch(/^eth0@\S+\s+UP\s+10\.211\./m);
    expect(addresses).toMatch(/^blue0@\S+\s+UP\s+10\.212\./m);
    expect(addresses).toMatch(/^net2@\S+\s+UP\s+10\.213\.9\.9\/24/m);
    expect(checked).toMatchObject({ code: 0, stdout: "" });
    expect(rulesBetween).toContain(`--dport ${hostPort}`);
    expect(deleted).toMatchObject({ code: 0, stdout: "" });
    expect(await sandbox.namespace.run("ip", "-br", "link")).not.toMatch(/eth0|blue0|net2/);
    const leases = await readdir(join(node.directory, "ipam"), { recursive: true });
    expect(
      leases.filter((name) => /\d+\.\d+\.\d+\.\d+$/.test(name) && !name.includes("last_reserved")),
    ).toEqual([]);
    expect((await run("iptables-save", ["-t", "nat"])).stdout).not.toContain(sandbox.containerId);
    expect(await node.daemon().get("/v1/attachments")).toEqual({ items: [] });
  });

  it("a namespace that vanished before DEL is no reason to keep an address", async () => {
    const links = await useLinks();
    const node = await useNodeWithDebianPlugins(links);
    const sandbox = await node.sandbox({ networks: "mac" });
    expect((await sandbox.run("ADD", { cniVersion: "0.4.0" })).code).toBe(0);
    await sandbox.namespace.remove();

    const deleted = await sandbox.run("DEL", { cniVersion: "0.4.0", netns: "" });

    expect(deleted).toMatchObject({ code: 0, stdout: "" });
    const leases = await readdir(join(node.directory, "ipam"), { recursive: true });
    expect(leases.filter((name) => /\/\d+\.\d+\.\d+\.\d+$/.test(name))).toEqual([]);
  });
});
