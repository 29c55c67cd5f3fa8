import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { chooseClusterNetworks, chooseNetworks } from "../../../src/attachments/choose-networks.ts";
import { readMultusConfiguration } from "../../../src/attachments/multus-configuration.ts";
import { networksAnnotation, policyAnnotation } from "../../../src/attachments/network-selection.ts";
import type { NetworkDefinition, Pod } from "../../../src/attachments/ports.ts";
import type { DomainSettings } from "../../../src/attachments/settings.ts";
import { list, policy } from "../../support/domain-rig.ts";

const signal = new AbortController().signal;

class Cluster {
  readonly directory: string;
  readonly definitions = new Map<string, NetworkDefinition>();
  readonly namespaces = new Map<string, Readonly<Record<string, string>>>();
  networks: DomainSettings["networks"] = {};
  keys: Readonly<Record<string, unknown>> = {};

  constructor(directory: string) {
    this.directory = directory;
  }

  define(
    key: string,
    config: object | string | undefined,
    annotations: Readonly<Record<string, string>> = {},
  ): void {
    const [namespace = "", name = ""] = key.split("/");
    const text = typeof config === "object" ? JSON.stringify(config) : config;
    this.definitions.set(key, {
      namespace,
      name,
      annotations,
      ...(text === undefined ? {} : { config: text }),
    });
  }

  async file(name: string, content: object): Promise<string> {
    const path = join(this.directory, name);
    await writeFile(path, JSON.stringify(content));
    return path;
  }

  async choose(pod?: Pod) {
    return await chooseNetworks(this.#sources(), this.#choice(pod), signal);
  }

  async chooseForCluster() {
    return await chooseClusterNetworks(this.#sources(), this.#choice(undefined), signal);
  }

  #choice(pod: Pod | undefined) {
    const overlay = JSON.stringify({ confDir: this.directory, ...this.keys });
    const settings = { networks: this.networks } as DomainSettings;
    return { configuration: readMultusConfiguration("{}", overlay), settings, pod };
  }

  #sources() {
    return {
      definitions: {
        findDefinition: async (namespace: string, name: string) =>
          this.definitions.get(`${namespace}/${name}`),
      },
      namespaces: { findNamespaceAnnotations: async (name: string) => this.namespaces.get(name) ?? {} },
    };
  }
}

async function useCluster(
  keys: Readonly<Record<string, unknown>> = { delegates: [list("prim", ["a"])] },
): Promise<Cluster> {
  const directory = await mkdtemp(join(tmpdir(), "multusd-choose-"));
  onTestFinished(async () => await rm(directory, { recursive: true, force: true }));
  const cluster = new Cluster(directory);
  cluster.keys = keys;
  return cluster;
}

function pod(networks?: string, annotations: Readonly<Record<string, string>> = {}, namespace = "ns"): Pod {
  const own = networks === undefined ? {} : { [networksAnnotation]: networks };
  return { namespace, name: "p", annotations: { ...own, ...annotations }, isStatic: false };
}

function namesOf(chosen: readonly { readonly network: string }[]): readonly string[] {
  return chosen.map(({ network }) => network);
}

describe("the primary network", () => {
  it("is the configured delegates, all of them in order", async () => {
    const cluster = await useCluster({
      delegates: [list("one", ["a"]), { cniVersion: "1.0.0", name: "two", type: "b" }],
    });

    expect(namesOf(await cluster.choose())).toEqual(["one", "two"]);
  });

  it("is a definition of that name in multusNamespace before a file of that name", async () => {
    const cluster = await useCluster({ clusterNetwork: "prim", multusNamespace: "system" });
    await cluster.file("10-prim.conflist", list("prim", ["file"]));
    expect(namesOf(await cluster.choose())).toEqual(["prim"]);

    cluster.define("system/prim", list("prim", ["definition"]));

    expect(await cluster.choose()).toMatchObject([
      { network: "system/prim", list: { plugins: [{ type: "definition" }] } },
    ]);
  });

  it("is a file by its path, or the first configuration of a directory", async () => {
    const cluster = await useCluster();
    await cluster.file("20-second.conflist", list("second", ["b"]));
    const path = await cluster.file("10-first.conflist", list("first", ["a"]));
    await cluster.file("05-notes.txt", {});

    cluster.keys = { clusterNetwork: path };
    expect(namesOf(await cluster.choose())).toEqual(["first"]);
    cluster.keys = { clusterNetwork: `${cluster.directory}/` };
    expect(namesOf(await cluster.choose())).toEqual(["first"]);
  });

  it.each([
    ["nowhere", "network-missing", /clusterNetwork "nowhere"/],
    ["/nowhere/at/all.conflist", "network-missing", /clusterNetwork "\/nowhere\/at\/all.conflist"/],
  ])(
    "fails as %s where it is not there, and names the key",
    async (clusterNetwork, failureClass, message) => {
      const cluster = await useCluster({ clusterNetwork });

      const chosen = cluster.choose();

      await expect(chosen).rejects.toMatchObject({ failureClass });
      await expect(chosen).rejects.toThrow(message);
    },
  );

  it("must be configured", async () => {
    const cluster = await useCluster({});

    await expect(cluster.choose()).rejects.toMatchObject({ failureClass: "invalid-configuration" });
  });

  it("is followed by defaultNetworks, except for pods of a system namespace", async () => {
    const cluster = await useCluster({
      clusterNetwork: "prim",
      defaultNetworks: ["extra"],
      systemNamespaces: ["kube-system", "ns-sys"],
    });
    cluster.define("kube-system/prim", list("prim", ["a"]));
    cluster.define("kube-system/extra", list("extra", ["b"]));

    expect(namesOf(await cluster.choose(pod()))).toEqual(["kube-system/prim", "kube-system/extra"]);
    expect(namesOf(await cluster.choose(pod(undefined, {}, "ns-sys")))).toEqual(["kube-system/prim"]);
    expect(namesOf(await cluster.chooseForCluster())).toEqual(["kube-system/prim", "kube-system/extra"]);
  });

  it("is what the pod's default-network annotation names, with the interface that it asks for", async () => {
    const cluster = await useCluster({ clusterNetwork: "prim" });
    cluster.define("kube-system/own", list("own", ["b"]));

    const chosen = await cluster.choose(pod(undefined, { "v1.multus-cni.io/default-network": "own@ext0" }));

    expect(chosen).toMatchObject([{ network: "kube-system/own", selection: { interface: "ext0" } }]);
  });

  it.each(["", "a,b"])("cannot be replaced by %j", async (value) => {
    const cluster = await useCluster();

    await expect(
      cluster.choose(pod(undefined, { "v1.multus-cni.io/default-network": value })),
    ).rejects.toThrow(/default-network: must name exactly one/);
  });
});

describe("the pod's networks", () => {
  it("come after the cluster's, in the order of the annotation, with what the pod wishes", async () => {
    const cluster = await useCluster();
    cluster.define("ns/one", list("", ["a"]));
    cluster.define("far/two", list("two-net", ["b"]));

    const chosen = await cluster.choose(
      pod('[{"name":"two","namespace":"far","mac":"02:00:00:00:00:01"},{"name":"one"}]'),
    );

    expect(chosen).toMatchObject([
      { network: "prim" },
      { network: "far/two", list: { name: "two-net" }, selection: { mac: "02:00:00:00:00:01" } },
      { network: "ns/one", list: { name: "one" } },
    ]);
  });

  it("are read from confDir by the definition's name where it has no configuration", async () => {
    const cluster = await useCluster();
    cluster.define("ns/one", "  ");
    await expect(cluster.choose(pod("one"))).rejects.toMatchObject({ failureClass: "network-missing" });

    await cluster.file("one.conflist", list("one", ["from-file"]));

    expect((await cluster.choose(pod("one")))[1]).toMatchObject({
      network: "ns/one",
      list: { plugins: [{ type: "from-file" }] },
    });
  });

  it("must exist, and the error names network, pod and remedy", async () => {
    const cluster = await useCluster();

    const chosen = cluster.choose(pod("nothing"));

    await expect(chosen).rejects.toMatchObject({ failureClass: "network-missing" });
    await expect(chosen).rejects.toThrow(/"ns\/nothing" of pod ns\/p.*create it/);
  });

  it("must be right, and the error names the definition", async () => {
    const cluster = await useCluster();
    cluster.define("ns/broken", '{"cniVersion":');

    const chosen = cluster.choose(pod("broken"));

    await expect(chosen).rejects.toMatchObject({ failureClass: "invalid-configuration" });
    await expect(chosen).rejects.toThrow(/ns\/broken/);
  });

  it("may not be of another namespace under isolation, but for the global ones", async () => {
    const cluster = await useCluster();
    cluster.keys = { ...cluster.keys, namespaceIsolation: true, globalNamespaces: "shared, default" };
    for (const key of ["ns/own", "shared/any", "other/one"]) cluster.define(key, list("n", ["a"]));

    expect(namesOf(await cluster.choose(pod("own,shared/any")))).toEqual(["prim", "ns/own", "shared/any"]);
    const forbidden = cluster.choose(pod("other/one"));
    await expect(forbidden).rejects.toMatchObject({ failureClass: "network-forbidden" });
    await expect(forbidden).rejects.toThrow(/"other\/one".*"ns"/);
    const replaced = cluster.choose(pod(undefined, { "v1.multus-cni.io/default-network": "other/one" }));
    await expect(replaced).rejects.toMatchObject({ failureClass: "network-forbidden" });
  });
});

describe("the policy of a network", () => {
  async function everywhere() {
    const cluster = await useCluster({ delegates: [list("prim", ["a"])], delErrorPolicy: "lenient" });
    cluster.networks = { "ns/one": { delErrorPolicy: policy("strict", { firstAttempt: "inline" }) } };
    cluster.define(
      "ns/one",
      { ...list("one-net", ["a"]), delErrorPolicy: "deferred" },
      { [policyAnnotation]: "strict" },
    );
    cluster.namespaces.set("ns", { [policyAnnotation]: '{"mode":"strict"}' });
    return cluster;
  }

  async function policyOfOne(cluster: Cluster) {
    const { policy: resolved } = (await cluster.choose(pod("one")))[1] ?? {};
    return [resolved?.policy.mode, resolved?.source];
  }

  it("is that of the first place that has one", async () => {
    const cluster = await everywhere();
    expect(await policyOfOne(cluster)).toEqual(["strict", "daemon-networks"]);

    cluster.networks = { "one-net": { delErrorPolicy: policy("lenient") } };
    expect(await policyOfOne(cluster)).toEqual(["lenient", "daemon-networks"]);

    cluster.networks = {};
    expect(await policyOfOne(cluster)).toEqual(["strict", "definition"]);

    cluster.define("ns/one", { ...list("one-net", ["a"]), delErrorPolicy: "deferred" });
    expect(await policyOfOne(cluster)).toEqual(["deferred", "network-configuration"]);

    cluster.define("ns/one", list("one-net", ["a"]));
    expect(await policyOfOne(cluster)).toEqual(["strict", "namespace"]);

    cluster.namespaces.clear();
    expect(await policyOfOne(cluster)).toEqual(["lenient", "multus-configuration"]);

    cluster.keys = { delegates: [list("prim", ["a"])] };
    expect(await policyOfOne(cluster)).toEqual(["deferred", "default"]);
  });

  it("of a single plugin stands beside it, by its place", async () => {
    const cluster = await useCluster();
    cluster.define("ns/one", {
      cniVersion: "1.0.0",
      name: "n",
      plugins: [{ type: "a" }, { type: "b", delErrorPolicy: { mode: "strict" } }],
    });

    expect((await cluster.choose(pod("one")))[1]).toMatchObject({
      policy: { source: "default" },
      pluginPolicies: { 1: { policy: { mode: "strict" }, source: "plugin-configuration" } },
    });
  });

  it.each([
    ["annotation", { annotation: "sometimes" }, /annotation multusd\.io\/del-error-policy: must be/],
    [
      "list",
      { list: { mode: "strict", retry: { initial: "x" } } },
      /ns\/one: delErrorPolicy.retry.initial: must be/,
    ],
    ["plugin", { plugin: { modus: "strict" } }, /plugins\[0\]\.delErrorPolicy.modus: unknown/],
  ])(
    "that is wrong in the %s is refused at ADD, and the error names the key",
    async (_where, wrong: Record<string, unknown>, message) => {
      const cluster = await useCluster();
      const plugins = [
        { type: "a", ...(wrong["plugin"] === undefined ? {} : { delErrorPolicy: wrong["plugin"] }) },
      ];
      const own = wrong["list"] === undefined ? {} : { delErrorPolicy: wrong["list"] };
      const annotations =
        wrong["annotation"] === undefined ? {} : { [policyAnnotation]: String(wrong["annotation"]) };
      cluster.define("ns/one", { cniVersion: "1.0.0", name: "n", plugins, ...own }, annotations);

      const chosen = cluster.choose(pod("one"));

      await expect(chosen).rejects.toMatchObject({ failureClass: "invalid-configuration" });
      await expect(chosen).rejects.toThrow(message);
    },
  );
});
