import { describe, expect, it } from "vitest";
import { alphaAndBeta } from "../support/networks.ts";
import { processesBelow } from "../support/processes.ts";
import { useNode } from "../support/test-node.ts";
import { waitFor } from "../support/wait-for.ts";

describe("shim killed in the middle of an ADD", () => {
  it("A14: ends the plugin, undoes what was done, and a later DEL is a silent success", async () => {
    const node = await useNode({ manifests: alphaAndBeta() });
    const sandbox = await node.sandbox({ networks: "alpha,beta" });
    await node.plugins.behave("beta", "ADD", { gate: "never" });
    const adding = sandbox.begin("ADD");
    await waitFor("beta's ADD", async () => (await node.plugins.calls({ type: "beta" })).length > 0);

    adding.kill("SIGKILL");
    await adding.ended;
    await waitFor("the undoing", async () => (await node.plugins.held()).length === 0, 5_000);
    await waitFor("beta's end", async () => (await processesBelow(node.plugins.binDir)).length === 0, 5_000);
    const before = (await node.plugins.calls()).length;
    const deleted = await sandbox.run("DEL");

    expect(deleted).toMatchObject({ code: 0, stdout: "" });
    expect(await node.plugins.calls()).toHaveLength(before);
    expect((await node.plugins.calls({ command: "DEL" })).map((call) => call.type)).toEqual([
      "beta",
      "alpha",
      "primary",
    ]);
  });

  it("a killed DEL is finished all the same", async () => {
    const node = await useNode({ manifests: alphaAndBeta() });
    const sandbox = await node.sandbox({ networks: "alpha,beta" });
    await sandbox.run("ADD");
    await node.plugins.behave("beta", "DEL", { gate: "go" });
    const deleting = sandbox.begin("DEL");
    await waitFor(
      "beta's DEL",
      async () => (await node.plugins.calls({ type: "beta", command: "DEL" })).length > 0,
    );

    deleting.kill("SIGKILL");
    await deleting.ended;
    await node.plugins.open("go");

    await waitFor("the end of the DEL", async () => (await node.plugins.held()).length === 0, 5_000);
  });
});
