import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { alphaAndBeta } from "../support/networks.ts";
import { processesBelow } from "../support/processes.ts";
import { useNode } from "../support/test-node.ts";
import { waitFor } from "../support/wait-for.ts";

const moments = 50;
/** Each on a machine of its own, side by side. */
const lanes = 2;
/** A little longer than an ADD of these plugins takes, so that some moments are after its end. */
const longestMs = 220;

/** Kills the daemon at random moments of ADDs, one after another; every time the next daemon and a DEL must leave nothing. */
async function killAtRandomMoments(rounds: number): Promise<void> {
  const node = await useNode({ manifests: alphaAndBeta("strict") });
  for (const plugin of ["primary", "alpha", "beta"])
    await node.plugins.behave(plugin, "ADD", { sleep: 0.04 });
  for (let round = 0; round < rounds; round++) {
    const sandbox = await node.sandbox({ networks: "alpha,beta" });
    const afterMs = Math.random() * longestMs;
    const adding = sandbox.begin("ADD", { stdin: { shim: { waitForDaemon: "1s", addTimeout: "2s" } } });
    await pause(afterMs);
    await node.daemon().kill();
    await adding.ended;
    await node.start();

    const deleted = await sandbox.run("DEL");

    const where = `round ${round}, killed ${afterMs.toFixed(1)} ms after the ADD began`;
    expect(deleted, where).toMatchObject({ code: 0, stdout: "" });
    expect(await node.plugins.held(), where).toEqual([]);
    expect(await processesBelow(node.plugins.binDir), where).toEqual([]);
    await sandbox.namespace.remove();
  }
}

describe("kill -9 of the daemon at any moment of an ADD", () => {
  it(`A06, A22: leaves nothing after restart and DEL, at ${moments} random moments`, {
    timeout: 240_000,
  }, async () => {
    await Promise.all(Array.from({ length: lanes }, async () => await killAtRandomMoments(moments / lanes)));
  });

  it("ends a plugin that was running within a second", async () => {
    const node = await useNode({ manifests: alphaAndBeta() });
    const sandbox = await node.sandbox({ networks: "alpha,beta" });
    await node.plugins.behave("alpha", "ADD", { hang: true });
    const adding = sandbox.begin("ADD", { stdin: { shim: { waitForDaemon: "1s" } } });
    await waitFor("the plugin to hang", async () => (await processesBelow(node.plugins.binDir)).length === 2);

    await node.daemon().kill();

    await waitFor("its end", async () => (await processesBelow(node.plugins.binDir)).length === 0, 1_000);
    expect((await adding.ended).code).toBe(1);
  });

  it("A22: rolls back what nobody got the result of, unasked", async () => {
    const node = await useNode({ manifests: alphaAndBeta() });
    const sandbox = await node.sandbox({ networks: "alpha,beta" });
    await node.plugins.behave("beta", "ADD", { gate: "never" });
    const adding = sandbox.begin("ADD", { stdin: { shim: { waitForDaemon: "1s" } } });
    await waitFor("beta's ADD", async () => (await node.plugins.calls({ type: "beta" })).length > 0);
    await node.daemon().kill();
    await adding.ended;

    await node.start();

    await waitFor("the rollback", async () => (await node.plugins.held()).length === 0);
  });
});
