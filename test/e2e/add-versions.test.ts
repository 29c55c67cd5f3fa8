import { describe, expect, it } from "vitest";
import { alphaAndBeta } from "../support/networks.ts";
import { requestSocket } from "../support/socket-request.ts";
import { useNode } from "../support/test-node.ts";

interface PrintedResult {
  readonly cniVersion: string;
  readonly interfaces: readonly { readonly name: string; readonly sandbox: string }[];
  readonly ips: readonly { readonly version?: string; readonly address: string }[];
}

describe("ADD of a primary and two networks", () => {
  it.each(["0.3.1", "0.4.0", "1.0.0", "1.1.0"])(
    "prints the primary's result in the caller's version %s",
    async (version) => {
      const node = await useNode({ manifests: alphaAndBeta() });
      const sandbox = await node.sandbox({ networks: "alpha,beta" });

      const added = await sandbox.run("ADD", { cniVersion: version });

      const result = added.printed as unknown as PrintedResult;
      const held = await node.plugins.held();
      const primary = held.find((one) => one.network === "primary-net");
      expect(added).toMatchObject({ code: 0, stderr: "" });
      expect(result.cniVersion).toBe(version);
      expect(result.interfaces).toMatchObject([{ name: "eth0", sandbox: sandbox.namespace.path }]);
      expect(result.ips.map((ip) => ip.address)).toEqual([`${primary?.address}/16`]);
      expect(result.ips[0]?.version).toBe(version.startsWith("0.") ? "4" : undefined);
      expect(held.map((one) => one.owner).toSorted()).toEqual(
        ["eth0", "net1", "net2"].map((name) => `${sandbox.containerId}/${name}`),
      );
    },
  );

  it("answers upstream's shim in upstream's form", async () => {
    const node = await useNode({ manifests: alphaAndBeta() });
    const sandbox = await node.sandbox({ networks: "alpha,beta" });
    const call = sandbox.call("ADD", { cniVersion: "0.4.0" });
    const env = {
      CNI_COMMAND: "ADD",
      CNI_CONTAINERID: call.containerId,
      CNI_NETNS: call.netns,
      CNI_IFNAME: "eth0",
      CNI_ARGS: call.args,
      CNI_PATH: "/opt/cni/bin",
      HOME: "/root",
    };
    const body = JSON.stringify({ env, config: Buffer.from(call.stdin).toString("base64") });

    const probe = await requestSocket(node.socket, { method: "POST", path: "/readyz", body: "null" });
    const reply = await requestSocket(node.socket, { method: "POST", path: "/cni", body });
    const again = await requestSocket(node.socket, {
      method: "POST",
      path: "/cni",
      body: body.replace('"ADD"', '"DEL"'),
    });

    expect(probe.status).toBe(200);
    expect(reply.status).toBe(200);
    expect(JSON.parse(reply.text)).toMatchObject({
      Result: { cniVersion: "1.1.0", interfaces: [{ name: "eth0" }], ips: [{ gateway: expect.any(String) }] },
    });
    expect(again).toMatchObject({ status: 200, text: "" });
    expect(await node.plugins.held()).toEqual([]);
  });

  it("gives each plugin the pod's identity and the interface of its network", async () => {
    const node = await useNode({ manifests: alphaAndBeta() });
    const sandbox = await node.sandbox({
      networks: '[{"name":"alpha","interface":"blue0"},{"name":"beta"}]',
    });

    await sandbox.run("ADD");

    const calls = await node.plugins.calls({ command: "ADD" });
    expect(calls.map((call) => [call.type, call.ifName])).toEqual([
      ["primary", "eth0"],
      ["alpha", "blue0"],
      ["beta", "net2"],
    ]);
    for (const call of calls) {
      expect(call.env["CNI_ARGS"]).toContain(`K8S_POD_NAME=${sandbox.pod};`);
      expect(call.netns).toBe(sandbox.namespace.path);
      expect(call.env["CNI_PATH"]?.split(":")[0]).toBe(node.plugins.binDir);
    }
  });
});
