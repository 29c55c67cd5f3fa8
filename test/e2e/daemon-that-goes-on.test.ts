import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { alphaAndBeta } from "../support/networks.ts";
import { requestSocket } from "../support/socket-request.ts";
import { type TestNode, useNode } from "../support/test-node.ts";
import type { CallWishes, TestSandbox } from "../support/test-sandbox.ts";
import { waitFor } from "../support/wait-for.ts";

/** Long enough for the plugins' share of it, short enough for a test. */
const delTimeoutMs = 8_000;

function patience(policy: string): CallWishes {
  return { stdin: { delErrorPolicy: policy, shim: { delTimeout: `${delTimeoutMs}ms` } } };
}

async function attached(policy?: string): Promise<{ node: TestNode; sandbox: TestSandbox }> {
  const node = await useNode({ manifests: alphaAndBeta(policy) });
  const sandbox = await node.sandbox({ networks: "alpha,beta" });
  expect((await sandbox.run("ADD")).code).toBe(0);
  return { node, sandbox };
}

async function spooled(node: TestNode): Promise<readonly string[]> {
  return (await readdir(join(node.stateDir, "spool"))).filter((name) => !name.startsWith("."));
}

/** Types whose DEL ran, each as often as it ran. */
async function deleted(node: TestNode): Promise<readonly string[]> {
  return (await node.plugins.calls({ command: "DEL" })).map((call) => call.type).toSorted();
}

async function owed(node: TestNode): Promise<readonly unknown[]> {
  return (await node.daemon().get<{ items: unknown[] }>("/v1/deletions")).items;
}

async function untilNothingIsLeft(node: TestNode): Promise<void> {
  await waitFor("settlement", async () => (await node.plugins.held()).length === 0);
  await waitFor("an empty spool", async () => (await spooled(node)).length === 0);
  await waitFor("nothing owed", async () => (await owed(node)).length === 0);
}

/** Starts a DEL and stops the daemon while beta's plugin runs; the plugin then ends as it was told to. */
async function stopWithinDelete(node: TestNode, sandbox: TestSandbox, policy: string) {
  const deleting = sandbox.begin("DEL", patience(policy));
  const isRunning = async () => (await node.plugins.calls({ type: "beta", command: "DEL" })).length > 0;
  await waitFor("beta's DEL", isRunning);
  node.daemon().freeze();
  await node.plugins.open("go");
  return await deleting.ended;
}

describe("a daemon that was stopped within a DEL and goes on", () => {
  it("has run every plugin once in the end, although the shim had spooled the same DEL", async () => {
    const { node, sandbox } = await attached();
    await node.plugins.behave("beta", "DEL", { gate: "go" });

    const outcome = await stopWithinDelete(node, sandbox, "deferred");
    const given = await spooled(node);
    node.daemon().thaw();
    await untilNothingIsLeft(node);

    expect(outcome).toMatchObject({ code: 0, stdout: "" });
    expect(outcome.wallMs).toBeGreaterThan(delTimeoutMs - 500);
    expect(given).toEqual([`${sandbox.containerId}@eth0.json`]);
    expect(await deleted(node)).toEqual(["alpha", "beta", "primary"]);
  });

  it("owes a plugin that failed once, not once for the request and once for the spool", async () => {
    const { node, sandbox } = await attached();
    const patient = { mode: "deferred", retry: { initial: "1h", max: "1h" } };
    await node.configure({ networks: { "default/beta": { delErrorPolicy: patient } } });
    await waitFor("the reload", async () => (await node.daemon().log()).includes("configuration reloaded"));
    await node.plugins.behave("beta", "DEL", { gate: "go", code: 42 });

    await stopWithinDelete(node, sandbox, "deferred");
    node.daemon().thaw();
    await waitFor("an empty spool", async () => (await spooled(node)).length === 0);

    // What was not tried before the stop is owed as well, and is done at once.
    await waitFor("the rest", async () => (await node.plugins.held()).every(({ type }) => type === "beta"));
    await waitFor("the end of its debts", async () => (await owed(node)).length === 1);
    expect(await owed(node)).toMatchObject([{ network: "default/beta", attempts: 1 }]);
    expect(await deleted(node)).toEqual(["alpha", "beta", "primary"]);
  });

  it("strict: finishes by itself what the runtime was refused, and the runtime's repeat wakes nobody", async () => {
    const { node, sandbox } = await attached("strict");
    await node.plugins.behave("beta", "DEL", { gate: "go" });

    const outcome = await stopWithinDelete(node, sandbox, "strict");
    const given = await spooled(node);
    node.daemon().thaw();
    await waitFor("beta's end", async () => (await node.plugins.held()).every(({ type }) => type !== "beta"));
    const repeated = await sandbox.run("DEL");

    expect(outcome).toMatchObject({ code: 1, printed: { code: 11 } });
    expect(given).toEqual([]);
    expect(repeated).toMatchObject({ code: 0, stdout: "" });
    expect(await deleted(node)).toEqual(["alpha", "beta", "primary"]);
    expect(await node.plugins.held()).toEqual([]);
  });
});

describe("a daemon that was stopped before a DEL and goes on", () => {
  it("runs nothing for a request whose time is over, and the spooled DEL once", async () => {
    const { node, sandbox } = await attached();
    node.daemon().freeze();
    const unread = sendAsShim(node, sandbox, 300);
    await expect(unread).rejects.toMatchObject({ name: "AbortError" });
    expect((await sandbox.run("DEL")).code).toBe(0);

    node.daemon().thaw();
    await untilNothingIsLeft(node);

    expect(await deleted(node)).toEqual(["alpha", "beta", "primary"]);
  });
});

/** The request of a shim that was let in before the daemon stopped, and hangs up when its time is over. */
async function sendAsShim(node: TestNode, sandbox: TestSandbox, timeoutMs: number): Promise<unknown> {
  const { containerId, netns, args, stdin } = sandbox.call("DEL");
  const env = {
    CNI_COMMAND: "DEL",
    CNI_CONTAINERID: containerId,
    CNI_NETNS: netns,
    CNI_IFNAME: "eth0",
    CNI_ARGS: args,
  };
  const nowNs = process.hrtime.bigint();
  const boot = (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim();
  return await requestSocket(node.socket, {
    method: "POST",
    path: "/cni",
    timeoutMs,
    headers: {
      accept: "application/vnd.multusd.v1+json",
      "x-multusd-boot": boot,
      "x-multusd-start": String(nowNs),
      "x-multusd-deadline": String(nowNs + BigInt(timeoutMs) * 1_000_000n),
    },
    body: JSON.stringify({ env, config: Buffer.from(stdin).toString("base64") }),
  });
}
