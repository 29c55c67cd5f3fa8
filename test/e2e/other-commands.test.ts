import { rm } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { alphaAndBeta } from "../support/networks.ts";
import type { Behaviour } from "../support/recording-plugins.ts";
import { useNode } from "../support/test-node.ts";

const misbehaviours: readonly { readonly what: string; readonly behaviour: Behaviour }[] = [
  { what: "prints no JSON", behaviour: { stdout: "oops" } },
  { what: "dies silently", behaviour: { exit: 3, bare: true } },
  { what: "floods stdout", behaviour: { flood: 9 * 1024 * 1024 } },
];

describe("CHECK, STATUS and GC", () => {
  it("CHECK asks every plugin, with the result of ADD", async () => {
    const node = await useNode({ manifests: alphaAndBeta() });
    const sandbox = await node.sandbox({ networks: "alpha,beta" });
    await sandbox.run("ADD");

    const checked = await sandbox.run("CHECK");

    const calls = await node.plugins.calls({ command: "CHECK" });
    expect(checked).toMatchObject({ code: 0, stdout: "" });
    expect(calls.map((call) => call.type)).toEqual(["primary", "alpha", "beta"]);
    expect(calls.every((call) => call.stdin.includes('"prevResult"'))).toBe(true);
  });

  it("CHECK fails with the plugin's own code", async () => {
    const node = await useNode({ manifests: alphaAndBeta() });
    const sandbox = await node.sandbox({ networks: "alpha" });
    await sandbox.run("ADD");
    await node.plugins.behave("alpha", "CHECK", { code: 77, msg: "cable unplugged" });

    const checked = await sandbox.run("CHECK");

    expect(checked).toMatchObject({
      code: 1,
      printed: { code: 77, msg: expect.stringContaining("cable unplugged") },
    });
  });

  it("STATUS is a success while the primary network says so, and fails with its code else", async () => {
    const primary = { cniVersion: "1.1.0", name: "primary-net", plugins: [{ type: "primary" }] };
    const node = await useNode({ primary });
    const sandbox = await node.sandbox();

    const good = await sandbox.run("STATUS", { cniVersion: "1.1.0" });
    await node.plugins.behave("primary", "STATUS", { code: 50, msg: "no addresses" });
    const bad = await sandbox.run("STATUS", { cniVersion: "1.1.0" });

    expect(good).toMatchObject({ code: 0, stdout: "" });
    expect(bad).toMatchObject({ code: 1, printed: { code: 50 } });
  });

  it("GC deletes what the runtime no longer has, and only that", async () => {
    const primary = { cniVersion: "1.1.0", name: "primary-net", plugins: [{ type: "primary" }] };
    const node = await useNode({ manifests: alphaAndBeta(), primary });
    const [gone, kept] = [
      await node.sandbox({ networks: "alpha" }),
      await node.sandbox({ networks: "alpha" }),
    ];
    await gone.run("ADD");
    await kept.run("ADD");
    await gone.namespace.remove();
    const valid = [{ containerID: kept.containerId, ifname: "eth0" }];

    const collected = await kept.run("GC", {
      cniVersion: "1.1.0",
      stdin: { "cni.dev/valid-attachments": valid },
    });

    expect(collected).toMatchObject({ code: 0, stdout: "" });
    const owners = (await node.plugins.held()).map((one) => one.owner).toSorted();
    expect(owners).toEqual([`${kept.containerId}/eth0`, `${kept.containerId}/net1`]);
  });
});

describe("an ADD that fails", () => {
  it("undoes what was done, last first, and reports the plugin's code", async () => {
    const node = await useNode({ manifests: alphaAndBeta() });
    const sandbox = await node.sandbox({ networks: "alpha,beta" });
    await node.plugins.behave("beta", "ADD", { code: 101, msg: "pool is empty" });

    const added = await sandbox.run("ADD");

    expect(added).toMatchObject({
      code: 1,
      printed: { code: 101, msg: expect.stringContaining("pool is empty") },
    });
    expect(added.printed?.msg).toContain("default/beta");
    expect((await node.plugins.calls({ command: "DEL" })).map((call) => call.type)).toEqual([
      "beta",
      "alpha",
      "primary",
    ]);
    expect(await node.plugins.held()).toEqual([]);
  });

  it.each(misbehaviours)("a plugin that $what has a defined end", async ({ behaviour }) => {
    const node = await useNode({ manifests: alphaAndBeta() });
    const sandbox = await node.sandbox({ networks: "alpha" });
    await node.plugins.behave("alpha", "ADD", behaviour);

    const added = await sandbox.run("ADD");

    expect(added).toMatchObject({
      code: 1,
      printed: { code: expect.any(Number), msg: expect.stringContaining("alpha") },
    });
    expect(await node.plugins.held()).toEqual([]);
    expect((await node.daemon().request({ path: "/healthz" })).status).toBe(200);
  });

  it("a plugin that is not installed is named", async () => {
    const node = await useNode({ manifests: alphaAndBeta() });
    const sandbox = await node.sandbox({ networks: "alpha" });
    await rm(`${node.plugins.binDir}/alpha`);

    const added = await sandbox.run("ADD");

    expect(added).toMatchObject({ code: 1, printed: { msg: expect.stringContaining("alpha") } });
    expect((await node.plugins.held()).some((one) => one.network === "primary-net")).toBe(false);
  });
});
