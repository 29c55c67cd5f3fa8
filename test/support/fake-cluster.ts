import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { chooseClusterNetworks, chooseNetworks } from "../../src/attachments/choose-networks.ts";
import { readMultusConfiguration } from "../../src/attachments/multus-configuration.ts";
import { networksAnnotation } from "../../src/attachments/network-selection.ts";
import type { NetworkDefinition, Pod } from "../../src/attachments/ports.ts";
import type { DomainSettings } from "../../src/attachments/settings.ts";
import { list } from "./domain-rig.ts";

const signal = new AbortController().signal;

/** Definitions, namespaces and configuration files that networks are chosen from. */
export class Cluster {
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

/** A cluster whose primary network is `prim`; its files go when the test ends. */
export async function useCluster(
  keys: Readonly<Record<string, unknown>> = { delegates: [list("prim", ["a"])] },
): Promise<Cluster> {
  const directory = await mkdtemp(join(tmpdir(), "multusd-choose-"));
  onTestFinished(async () => await rm(directory, { recursive: true, force: true }));
  const cluster = new Cluster(directory);
  cluster.keys = keys;
  return cluster;
}

/** Pod `p` that wishes for these networks. */
export function pod(
  networks?: string,
  annotations: Readonly<Record<string, string>> = {},
  namespace = "ns",
): Pod {
  const own = networks === undefined ? {} : { [networksAnnotation]: networks };
  return { namespace, name: "p", annotations: { ...own, ...annotations }, isStatic: false };
}
