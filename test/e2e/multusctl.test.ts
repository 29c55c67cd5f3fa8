import { describe, expect, it } from "vitest";
import { dist } from "../support/dist.ts";
import { alphaAndBeta } from "../support/networks.ts";
import { type ProgramOutcome, runProgram } from "../support/run-program.ts";
import { type TestNode, useNode } from "../support/test-node.ts";

async function control(node: TestNode, ...args: readonly string[]): Promise<ProgramOutcome> {
  const program = { program: dist.control, env: { PATH: process.env["PATH"] ?? "" } };
  return await runProgram({ ...program, args: ["--socket", node.socket, ...args] });
}

interface Listing {
  readonly items: readonly { readonly id: string; readonly network: string }[];
}

/** The daemon's own next try is an hour away. */
const patient = { mode: "deferred", retry: { initial: "1h", max: "1h" } };

async function nodeThatOwes(): Promise<{ node: TestNode; id: string }> {
  const node = await useNode({ manifests: alphaAndBeta(), config: { delErrorPolicy: patient } });
  const sandbox = await node.sandbox({ networks: "alpha" });
  await sandbox.run("ADD");
  await node.plugins.behave("alpha", "DEL", { code: 42, msg: "no route to the switch" });
  await sandbox.run("DEL");
  const { items } = await node.daemon().get<Listing>("/v1/deletions");
  return { node, id: items[0]?.id ?? "none" };
}

describe("multusctl", () => {
  it("shows status and attachments", async () => {
    const node = await useNode({ manifests: alphaAndBeta() });
    const sandbox = await node.sandbox({ networks: "alpha,beta" });
    await sandbox.run("ADD");

    const status = await control(node, "status");
    const table = await control(node, "attachments");
    const json = await control(node, "-o", "json", "attachments", "--pod", `default/${sandbox.pod}`);

    expect(status.code).toBe(0);
    expect(table.code).toBe(0);
    expect(table.stdout).toContain("default/alpha");
    expect((JSON.parse(json.stdout) as Listing).items.map((item) => item.network)).toEqual([
      "primary-net",
      "default/alpha",
      "default/beta",
    ]);
  });

  it("lists, shows and retries what is owed", async () => {
    const { node, id } = await nodeThatOwes();

    const list = await control(node, "deletions", "list");
    const shown = await control(node, "deletions", "show", id);
    await node.plugins.restore("alpha", "DEL");
    const retried = await control(node, "deletions", "retry", id);

    expect(list.stdout).toContain("default/alpha");
    expect(shown.stdout).toContain("no route to the switch");
    expect(retried.code).toBe(0);
    expect(await node.plugins.held()).toEqual([]);
  });

  it("abandons with a reason", async () => {
    const { node, id } = await nodeThatOwes();

    const abandoned = await control(node, "deletions", "abandon", id, "--reason", "switch was scrapped");

    expect(abandoned.code).toBe(0);
    expect(await node.daemon().log()).toContain("switch was scrapped");
    const { items } = await node
      .daemon()
      .get<{ items: readonly { readonly state: string }[] }>("/v1/deletions");
    expect(items.filter((item) => item.state === "pending")).toEqual([]);
  });

  it("says so with exit 2 where a command is unknown, and 3 where there is no daemon", async () => {
    const node = await useNode({ start: false });

    const unknown = await control(node, "levitate");
    const nobody = await control(node, "status");

    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain("levitate");
    expect(nobody.code).toBe(3);
  });
});
