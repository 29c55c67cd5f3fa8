import { describe, expect, it } from "vitest";
import { alphaAndBeta } from "../support/networks.ts";
import { isAlive, processesBelow } from "../support/processes.ts";
import { useNode } from "../support/test-node.ts";
import { waitFor } from "../support/wait-for.ts";

describe("a plugin that sleeps for ever", () => {
  it("is ended at its limit with its group, named, and nobody else notices", async () => {
    const node = await useNode({ manifests: alphaAndBeta(), config: { timeouts: { plugin: "1s" } } });
    const sandbox = await node.sandbox({ networks: "alpha,beta" });
    await node.plugins.behave("alpha", "ADD", { hang: true });
    const adding = sandbox.begin("ADD");
    const hung = await waitFor("the plugin to hang", async () =>
      (await node.plugins.calls()).find((call) => call.grandchild !== undefined),
    );

    const other = await (await node.sandbox()).run("ADD");
    const health = await node.daemon().request({ path: "/healthz", timeoutMs: 500 });
    const added = await adding.ended;

    expect(other.code).toBe(0);
    expect(health.status).toBe(200);
    expect(added).toMatchObject({ code: 1, printed: { code: 11 } });
    expect(added.printed?.msg).toContain("alpha");
    expect(added.wallMs).toBeGreaterThan(900);
    expect(added.wallMs).toBeLessThan(4_000);
    expect([hung.pid, hung.grandchild ?? 0].some(isAlive)).toBe(false);
    const held = await node.plugins.held();
    expect(held.some((one) => one.owner.startsWith(sandbox.containerId))).toBe(false);
  });

  it("is a 504 of class deadline-exceeded on the wire", async () => {
    const node = await useNode({ config: { timeouts: { plugin: "500ms" } } });
    const sandbox = await node.sandbox();
    await node.plugins.behave("primary", "ADD", { hang: true });
    const call = sandbox.call("ADD");
    const env = {
      CNI_COMMAND: "ADD",
      CNI_CONTAINERID: call.containerId,
      CNI_NETNS: call.netns,
      CNI_IFNAME: "eth0",
      CNI_ARGS: call.args,
      CNI_PATH: "/opt/cni/bin",
    };

    const reply = await node.daemon().request({
      method: "POST",
      path: "/cni",
      headers: { accept: "application/vnd.multusd.v1+json" },
      body: JSON.stringify({ env, config: Buffer.from(call.stdin).toString("base64") }),
    });

    expect(reply.status).toBe(504);
    expect(reply.headers["x-multusd-failure"]).toBe("deadline-exceeded");
    expect(JSON.parse(reply.text)).toMatchObject({ code: 11, msg: expect.stringContaining("primary") });
  });

  it("hanging in DEL is settled by policy", async () => {
    const node = await useNode({
      manifests: alphaAndBeta("deferred"),
      config: { timeouts: { plugin: "500ms" } },
    });
    const sandbox = await node.sandbox({ networks: "alpha,beta" });
    await sandbox.run("ADD");
    await node.plugins.behave("alpha", "DEL", { hang: true });

    const deleted = await sandbox.run("DEL");
    const { items } = await node.daemon().get<{ items: unknown[] }>("/v1/deletions");
    await node.plugins.restore("alpha", "DEL");

    expect(deleted).toMatchObject({ code: 0, stdout: "" });
    expect(items).toHaveLength(1);
    await waitFor("settlement", async () => (await node.plugins.held()).length === 0, 5_000);
    await waitFor(
      "no plugin to be left",
      async () => (await processesBelow(node.plugins.binDir)).length === 0,
    );
  });
});
