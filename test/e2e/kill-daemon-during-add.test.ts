import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { alphaAndBeta } from "../support/networks.ts";
import { processesBelow } from "../support/processes.ts";
import { useNode } from "../support/test-node.ts";
import { waitFor } from "../support/wait-for.ts";

const moments = 50;
/** A little longer than an ADD of these plugins takes, so that some moments are after its end. */
const longestMs = 220;

describe("kill -9 of the daemon at any moment of an ADD", () => {
  // Each file's tests run one after another, so the moments are spread over tests that vitest can report one by one.
  it(`leaves nothing after restart and DEL, at ${moments} random moments`, { timeout: 180_000 }, async () => {
    const node = await useNode({ manifests: alphaAndBeta("strict"), start: false });
    for (const plugin of ["primary", "alpha", "beta"])
      await node.plugins.behave(plugin, "ADD", { sleep: 0.04 });

    for (let round = 0; round < moments; round++) {
      const daemon = await node.start();
      const sandbox = await node.sandbox({ networks: "alpha,beta" });
      const afterMs = Math.random() * longestMs;
      const adding = sandbox.begin("ADD", { stdin: { shim: { waitForDaemon: "100ms", addTimeout: "2s" } } });
      await pause(afterMs);
      await daemon.kill();
      await adding.ended;
      const next = await node.start();
      const deleted = await sandbox.run("DEL");

      const where = `round ${round}, killed ${afterMs.toFixed(1)} ms after the ADD began`;
      expect(deleted, where).toMatchObject({ code: 0, stdout: "" });
      expect(await node.plugins.held(), where).toEqual([]);
      await next.kill();
      await sandbox.namespace.remove();
    }

    await waitFor(
      "every plugin to be gone",
      async () => (await processesBelow(node.plugins.binDir)).length === 0,
    );
  });

  it("ends a plugin that was running within a second", async () => {
    const node = await useNode({ manifests: alphaAndBeta() });
    const sandbox = await node.sandbox({ networks: "alpha,beta" });
    await node.plugins.behave("alpha", "ADD", { hang: true });
    const adding = sandbox.begin("ADD", { stdin: { shim: { waitForDaemon: "100ms" } } });
    await waitFor("the plugin to hang", async () => (await processesBelow(node.plugins.binDir)).length === 2);

    await node.daemon().kill();

    await waitFor("its end", async () => (await processesBelow(node.plugins.binDir)).length === 0, 1_000);
    expect((await adding.ended).code).toBe(1);
  });

  it("rolls back what nobody got the result of, unasked", async () => {
    const node = await useNode({ manifests: alphaAndBeta() });
    const sandbox = await node.sandbox({ networks: "alpha,beta" });
    await node.plugins.behave("beta", "ADD", { gate: "never" });
    const adding = sandbox.begin("ADD", { stdin: { shim: { waitForDaemon: "100ms" } } });
    await waitFor("beta's ADD", async () => (await node.plugins.calls({ type: "beta" })).length > 0);
    await node.daemon().kill();
    await adding.ended;

    await node.start();

    await waitFor("the rollback", async () => (await node.plugins.held()).length === 0);
  });
});
