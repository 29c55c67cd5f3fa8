import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { podManifest } from "../support/manifests.ts";
import { alphaAndBeta, network } from "../support/networks.ts";
import { runShim } from "../support/shim.ts";
import { type TestNode, useNode } from "../support/test-node.ts";
import type { TestSandbox } from "../support/test-sandbox.ts";
import { waitFor } from "../support/wait-for.ts";

async function deletedTypes(node: TestNode): Promise<readonly string[]> {
  return (await node.plugins.calls({ command: "DEL" })).map((call) => call.type);
}

/** What of a sandbox nobody has written down, or what was lost of it. */
const unknowns: Readonly<Record<string, (node: TestNode, sandbox: TestSandbox) => Promise<void>>> = {
  "was never added": async () => undefined,
  "was never added, of a pod that is gone": async (node, { pod }) =>
    await rm(join(node.manifestDir, `pod-default-${pod}.json`)),
  "lost its files and its pod": async (node, sandbox) => {
    await sandbox.run("ADD");
    await rm(join(node.stateDir, "sandboxes", `${sandbox.containerId}.json`));
    await rm(join(node.cniDir, "results"), { recursive: true });
    await rm(join(node.cniDir, sandbox.containerId), { force: true });
    await rm(join(node.manifestDir, `pod-default-${sandbox.pod}.json`));
  },
};

describe("DEL of a sandbox without a record", () => {
  it.each(Object.keys(unknowns))(
    "A11: one that %s: the primary network is deleted, success",
    async (what) => {
      const node = await useNode();
      const sandbox = await node.sandbox();
      await unknowns[what]?.(node, sandbox);

      const deleted = await sandbox.run("DEL");
      const repeated = await sandbox.run("DEL", { netns: "" });

      expect([deleted, repeated]).toMatchObject([
        { code: 0, stdout: "" },
        { code: 0, stdout: "" },
      ]);
      expect(await deletedTypes(node)).toEqual(["primary"]);
      expect(await node.plugins.held()).toEqual([]);
    },
  );
});

const tries = 50;

/** ADDs of new sandboxes of one pod, one after another, as a kubelet repeats them. */
async function addAgainAndAgain(node: TestNode): Promise<void> {
  const first = await node.sandbox({ networks: "alpha,beta" });
  for (let index = 0; index < tries; index++) {
    const call = { ...first.call("ADD"), containerId: `${first.containerId}${index}` };
    expect(await runShim(call)).toMatchObject({ code: 1, printed: { code: 101 } });
  }
}

describe("an ADD that fails each time", () => {
  it(`A13: leaves nothing, ${tries} times over`, async () => {
    const node = await useNode({ manifests: alphaAndBeta() });
    await node.plugins.behave("beta", "ADD", { code: 101, msg: "pool is empty" });

    await addAgainAndAgain(node);

    expect(await node.plugins.held()).toEqual([]);
    expect(await node.plugins.calls({ type: "beta", command: "DEL" })).toHaveLength(tries);
    expect(await node.daemon().get("/v1/deletions")).toEqual({ items: [] });
  });

  it(`A13: is owed where its undoing fails too, strict or not, and settled later, ${tries} times over`, async () => {
    const manifests = { ...alphaAndBeta(), "alpha.json": network("alpha", { policy: "strict" }) };
    const node = await useNode({ manifests });
    await node.plugins.behave("beta", "ADD", { code: 101, msg: "pool is empty" });
    await node.plugins.behave("alpha", "DEL", { code: 42 });

    await addAgainAndAgain(node);
    const { items } = await node.daemon().get<{ items: unknown[] }>("/v1/deletions");
    const leaked = await node.plugins.held();
    await node.plugins.restore("alpha", "DEL");

    expect(items).toHaveLength(tries);
    expect(leaked.every(({ type }) => type === "alpha")).toBe(true);
    await waitFor("settlement", async () => (await node.plugins.held()).length === 0, 30_000);
  });
});

/** Names of files that a sandbox leaves below state and CNI directory. */
async function filesOf(node: TestNode, containerId: string): Promise<readonly string[]> {
  const names = await Promise.all(
    [node.stateDir, node.cniDir].map(async (directory) => await readdir(directory, { recursive: true })),
  );
  return names.flat().filter((name) => name.includes(containerId));
}

describe("files of sandboxes that have gone", () => {
  it("A31: one small mark is all that is left of a sandbox", async () => {
    const node = await useNode({ manifests: alphaAndBeta("strict") });
    const sandbox = await node.sandbox({ networks: "alpha,beta" });
    await sandbox.run("ADD");
    const between = await filesOf(node, sandbox.containerId);

    await sandbox.run("DEL");

    expect(between.length).toBeGreaterThan(4);
    expect(await filesOf(node, sandbox.containerId)).toEqual([`sandboxes/${sandbox.containerId}.json`]);
  });
});

interface Identity {
  readonly what: string;
  /** The pod as the source of pods has it. */
  readonly uid: string;
  readonly annotations?: Readonly<Record<string, string>>;
  /** UID of CNI_ARGS; `undefined`: the runtime sends none. */
  readonly sent: string | undefined;
  readonly outcome: object;
}

const refused = { code: 1, printed: { code: 11, msg: expect.stringContaining("UID") } };

const identities: readonly Identity[] = [
  { what: "its UID", uid: "uid-1", sent: "uid-1", outcome: { code: 0 } },
  {
    what: "another UID, since it was made anew under its name",
    uid: "uid-2",
    sent: "uid-1",
    outcome: refused,
  },
  { what: "a UID and the runtime sends an empty one", uid: "uid-1", sent: "", outcome: { code: 0 } },
  { what: "a UID and the runtime sends none", uid: "uid-1", sent: undefined, outcome: { code: 0 } },
  {
    what: "the UID of a static pod's mirror",
    uid: "uid-of-the-mirror",
    annotations: { "kubernetes.io/config.source": "file", "kubernetes.io/config.hash": "uid-1" },
    sent: "uid-1",
    outcome: { code: 0 },
  },
];

describe("the pod that a runtime names", () => {
  it.each(identities)(
    "A33: where the source of pods has $what",
    async ({ uid, annotations, sent, outcome }) => {
      const node = await useNode({ manifests: alphaAndBeta() });
      const sandbox = await node.sandbox({ networks: "alpha" });
      const pod = podManifest({ name: sandbox.pod, uid, networks: "alpha" }) as {
        metadata: { annotations: object };
      };
      pod.metadata.annotations = { ...pod.metadata.annotations, ...annotations };
      await node.manifest(`pod-default-${sandbox.pod}.json`, pod);
      const args = [`IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=${sandbox.pod}`];
      if (sent !== undefined) args.push(`K8S_POD_UID=${sent}`);
      const call = (command: string) => ({ ...sandbox.call(command), args: args.join(";") });

      const added = await runShim(call("ADD"));
      const heldBetween = await node.plugins.held();
      const deleted = await runShim(call("DEL"));

      expect(added).toMatchObject(outcome);
      expect(heldBetween).toHaveLength(added.code === 0 ? 2 : 0);
      expect(deleted).toMatchObject({ code: 0, stdout: "" });
      expect(await node.plugins.held()).toEqual([]);
    },
  );

  it("A33: the DEL of an old sandbox leaves the new pod of that name alone", async () => {
    const node = await useNode({ manifests: alphaAndBeta() });
    const old = await node.sandbox({ networks: "alpha" });
    await old.run("ADD");
    const anew = await node.sandbox({ networks: "alpha", pod: old.pod });
    await anew.run("ADD");

    expect(await old.run("DEL")).toMatchObject({ code: 0, stdout: "" });
    const owners = (await node.plugins.held()).map(({ owner }) => owner.split("/")[0]);
    expect(owners).toEqual([anew.containerId, anew.containerId]);
  });
});

describe("a sandbox that is added again while a DEL of it is owed", () => {
  it("A21: settles the debt first, so that no retry takes down what is new", async () => {
    const policy = '{"mode":"deferred","retry":{"initial":"1h","max":"1h"}}';
    const node = await useNode({ manifests: { "alpha.json": network("alpha", { policy }) } });
    const sandbox = await node.sandbox({ networks: "alpha" });
    await sandbox.run("ADD");
    await node.plugins.behave("alpha", "DEL", { code: 42, once: true });
    await sandbox.run("DEL");

    expect((await sandbox.run("ADD")).code).toBe(0);

    const commands = (await node.plugins.calls({ type: "alpha" })).map((call) => call.command);
    expect(commands).toEqual(["ADD", "DEL", "DEL", "ADD"]);
    expect(await node.daemon().get("/v1/deletions")).toEqual({ items: [] });
    expect(await node.plugins.held()).toHaveLength(2);
  });
});

/** Asks for 10.9.0.5 on alpha. */
const fixedAddress = '[{"name":"alpha","ips":["10.9.0.5/16"]}]';

describe("an address whose DEL is owed while another pod has it", () => {
  it("A21: no retry runs the old DEL until the new owner has gone", async () => {
    const policy = '{"mode":"deferred","retry":{"initial":"100ms","max":"200ms"}}';
    const capable = network("alpha", { policy, keys: { capabilities: { ips: true } } });
    const node = await useNode({ manifests: { "alpha.json": capable } });
    const old = await node.sandbox({ networks: fixedAddress });
    const anew = await node.sandbox({ networks: fixedAddress });
    const oldDeletions = async () =>
      await node.plugins.calls({ type: "alpha", command: "DEL", containerId: old.containerId });
    expect((await old.run("ADD")).code).toBe(0);
    await node.plugins.behave("alpha", "DEL", { code: 42 });
    expect((await old.run("DEL")).code).toBe(0);
    // Somebody has freed the address by hand meanwhile, so that it can be given away.
    await rm(join(node.plugins.ctl, "pool", "alpha-net"), { recursive: true });

    expect((await anew.run("ADD")).code).toBe(0);
    const before = (await oldDeletions()).length;
    await node.plugins.restore("alpha", "DEL");
    await waitFor("the fence", async () => (await node.daemon().log()).includes("owed deletion given up"));

    expect(await oldDeletions()).toHaveLength(before);
    expect(await node.plugins.held()).toContainEqual({
      network: "alpha-net",
      address: "10.9.0.5",
      owner: `${anew.containerId}/net1`,
      type: "alpha",
    });
    expect(await anew.run("DEL")).toMatchObject({ code: 0, stdout: "" });
    const { items } = await node.daemon().get<{ items: readonly { readonly id: string }[] }>("/v1/deletions");
    await node.daemon().request({ method: "POST", path: `/v1/deletions/${items[0]?.id}/retry` });
    expect(await oldDeletions()).toHaveLength(before + 1);
    expect(await node.daemon().get("/v1/deletions")).toEqual({ items: [] });
  });
});
