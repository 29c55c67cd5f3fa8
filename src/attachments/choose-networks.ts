import { CniError } from "../cni/index.ts";
import type { ChosenNetwork } from "./delegate.ts";
import type { ResolvedPolicy } from "./error-policy.ts";
import { Failure } from "./failure.ts";
import type { MultusConfiguration } from "./multus-configuration.ts";
import { readNamedFile, readNetworkPath } from "./network-files.ts";
import {
  defaultNetworkAnnotation,
  type NetworkSelection,
  networksAnnotation,
  policyAnnotation,
} from "./network-selection.ts";
import { parseNetworkSelections } from "./parse-network-selection.ts";
import type { NamespaceSource, NetworkDefinition, NetworkDefinitionSource, Pod } from "./ports.ts";
import type { PreparedList } from "./prepare-list.ts";
import { prepareList } from "./prepare-list.ts";
import { type PolicyPlace, readPolicy, resolvePolicy } from "./resolve-policy.ts";
import type { DomainSettings } from "./settings.ts";

export interface NetworkSources {
  readonly definitions: NetworkDefinitionSource;
  readonly namespaces: NamespaceSource;
}

/** What decides which networks a sandbox gets. */
export interface NetworkChoice {
  readonly configuration: MultusConfiguration;
  readonly settings: DomainSettings;
  readonly pod: Pod | undefined;
}

/**
 * The sandbox's networks in ADD order: the primary, `defaultNetworks`, then what the pod's annotation asks for.
 * @throws {Failure} `network-missing`, `network-forbidden` or `invalid-configuration`, which name network and key
 */
export async function chooseNetworks(
  sources: NetworkSources,
  choice: NetworkChoice,
  signal: AbortSignal,
): Promise<readonly ChosenNetwork[]> {
  const chooser = new NetworkChooser(sources, choice, signal);
  return [...(await chooser.clusterNetworks()), ...(await chooser.podNetworks())];
}

/** The networks that every pod gets, without asking for any pod: what STATUS, GC and a DEL without record go by. */
export async function chooseClusterNetworks(
  sources: NetworkSources,
  choice: NetworkChoice,
  signal: AbortSignal,
): Promise<readonly ChosenNetwork[]> {
  return await new NetworkChooser(sources, choice, signal).clusterNetworks();
}

interface NetworkText {
  readonly network: string | undefined;
  readonly text: string;
  readonly fallbackName: string | undefined;
  readonly where: string;
  readonly definitionPolicy?: string | undefined;
}

class NetworkChooser {
  readonly #sources: NetworkSources;
  readonly #choice: NetworkChoice;
  readonly #signal: AbortSignal;

  constructor(sources: NetworkSources, choice: NetworkChoice, signal: AbortSignal) {
    this.#sources = sources;
    this.#choice = choice;
    this.#signal = signal;
  }

  async clusterNetworks(): Promise<readonly ChosenNetwork[]> {
    const primary = (await this.#replacedPrimary()) ?? (await this.#configuredPrimary());
    return [...primary, ...(await this.#defaultNetworks())];
  }

  async podNetworks(): Promise<readonly ChosenNetwork[]> {
    const { pod } = this.#choice;
    const annotation = pod?.annotations[networksAnnotation];
    if (pod === undefined || annotation === undefined) return [];
    const selections = parseNetworkSelections(networksAnnotation, annotation, pod.namespace);
    const chosen: ChosenNetwork[] = [];
    for (const selection of selections) chosen.push(await this.#selected(selection, pod));
    return chosen;
  }

  /** `v1.multus-cni.io/default-network`: the pod's own primary. Isolation applies to it too. */
  async #replacedPrimary(): Promise<readonly ChosenNetwork[] | undefined> {
    const { pod, configuration } = this.#choice;
    const annotation = pod?.annotations[defaultNetworkAnnotation];
    if (pod === undefined || annotation === undefined) return undefined;
    const selections = parseNetworkSelections(
      defaultNetworkAnnotation,
      annotation,
      configuration.multusNamespace,
    );
    const [selection, ...more] = selections;
    if (selection === undefined || more.length > 0) {
      throw new Failure(
        "invalid-configuration",
        `annotation ${defaultNetworkAnnotation}: must name exactly one network`,
      );
    }
    const allowed = selection.namespace === configuration.multusNamespace;
    return [await this.#selected(selection, pod, allowed)];
  }

  async #configuredPrimary(): Promise<readonly ChosenNetwork[]> {
    const { clusterNetwork, delegates } = this.#choice.configuration;
    if (clusterNetwork !== "") return [await this.#named("clusterNetwork", clusterNetwork)];
    if (delegates.length === 0) {
      throw new Failure(
        "invalid-configuration",
        "multus configuration: neither clusterNetwork nor delegates names a primary network; set one of them",
      );
    }
    const chosen: ChosenNetwork[] = [];
    for (const [index, text] of delegates.entries()) {
      const where = `multus configuration: delegates[${index}]`;
      chosen.push(
        await this.#choose({ network: undefined, text, fallbackName: undefined, where }, undefined),
      );
    }
    return chosen;
  }

  async #defaultNetworks(): Promise<readonly ChosenNetwork[]> {
    const { configuration, pod } = this.#choice;
    if (configuration.clusterNetwork === "") return [];
    if (pod !== undefined && configuration.systemNamespaces.includes(pod.namespace)) return [];
    const chosen: ChosenNetwork[] = [];
    for (const [index, name] of configuration.defaultNetworks.entries()) {
      chosen.push(await this.#named(`defaultNetworks[${index}]`, name));
    }
    return chosen;
  }

  /** A definition's name in `multusNamespace`, a network name in `confDir`, a directory or a file (multus reference §4.6). */
  async #named(key: string, name: string): Promise<ChosenNetwork> {
    const { configuration } = this.#choice;
    const where = `multus configuration: ${key} "${name}"`;
    if (name.includes("/")) {
      const text = await readNetworkPath(name, where);
      return await this.#choose({ network: undefined, text, fallbackName: undefined, where }, undefined);
    }
    const definition = await this.#sources.definitions.findDefinition(
      configuration.multusNamespace,
      name,
      this.#signal,
    );
    if (definition !== undefined) return await this.#defined(definition, undefined);
    const text = await readNamedFile(configuration.confDir, name, where);
    if (text === undefined) {
      throw new Failure(
        "network-missing",
        `${where}: no network definition "${configuration.multusNamespace}/${name}" and no file of that network in ${configuration.confDir}; create one of them`,
      );
    }
    return await this.#choose({ network: undefined, text, fallbackName: name, where }, undefined);
  }

  async #selected(selection: NetworkSelection, pod: Pod, isAllowed = false): Promise<ChosenNetwork> {
    const key = `${selection.namespace}/${selection.name}`;
    if (!isAllowed) this.#checkIsolation(key, selection.namespace, pod.namespace);
    if (selection.defaultRoute !== undefined) {
      throw new Failure(
        "invalid-configuration",
        `network "${key}" of pod ${pod.namespace}/${pod.name}: default-route is not supported by this version; remove it`,
      );
    }
    const definition = await this.#sources.definitions.findDefinition(
      selection.namespace,
      selection.name,
      this.#signal,
    );
    if (definition === undefined) {
      throw new Failure(
        "network-missing",
        `network "${key}" of pod ${pod.namespace}/${pod.name}: there is no such NetworkAttachmentDefinition; create it or correct the pod's annotation`,
      );
    }
    return await this.#defined(definition, selection);
  }

  #checkIsolation(key: string, target: string, own: string): void {
    const { namespaceIsolation, globalNamespaces } = this.#choice.configuration;
    if (!namespaceIsolation || target === own || globalNamespaces.includes(target)) return;
    throw new Failure(
      "network-forbidden",
      `network "${key}": namespace isolation keeps pods of namespace "${own}" from networks of namespace "${target}"; move the definition or add the namespace to globalNamespaces`,
    );
  }

  async #defined(
    definition: NetworkDefinition,
    selection: NetworkSelection | undefined,
  ): Promise<ChosenNetwork> {
    const network = `${definition.namespace}/${definition.name}`;
    const where = `network definition ${network}`;
    const { confDir } = this.#choice.configuration;
    const written = definition.config?.trim() ? definition.config : undefined;
    const text = written ?? (await readNamedFile(confDir, definition.name, where));
    if (text === undefined) {
      throw new Failure(
        "network-missing",
        `${where}: spec.config is empty and ${confDir} has no file of network "${definition.name}"`,
      );
    }
    const definitionPolicy = definition.annotations[policyAnnotation];
    return await this.#choose(
      { network, text, fallbackName: definition.name, where, definitionPolicy },
      selection,
    );
  }

  async #choose(source: NetworkText, selection: NetworkSelection | undefined): Promise<ChosenNetwork> {
    const prepared = prepareAt(source, selection?.cniArgs);
    const network = source.network ?? prepared.list.name;
    const policy = await this.#policyOf(network, source, prepared);
    const pluginPolicies = readPluginPolicies(source.where, prepared);
    const chosen = { network, list: prepared.list, policy, pluginPolicies };
    return selection === undefined ? chosen : { ...chosen, selection };
  }

  async #policyOf(network: string, source: NetworkText, prepared: PreparedList): Promise<ResolvedPolicy> {
    const { settings, configuration } = this.#choice;
    const places: PolicyPlace[] = [
      {
        source: "definition",
        where: `${source.where}: annotation ${policyAnnotation}`,
        text: source.definitionPolicy,
      },
      { source: "network-configuration", where: `${source.where}: delErrorPolicy`, text: prepared.policy },
      {
        source: "namespace",
        where: `namespace annotation ${policyAnnotation}`,
        text: await this.#namespacePolicy(),
      },
      {
        source: "multus-configuration",
        where: "multus configuration: delErrorPolicy",
        text: configuration.delErrorPolicy,
      },
    ];
    return resolvePolicy(settings, network, prepared.list.name, places);
  }

  async #namespacePolicy(): Promise<string | undefined> {
    const { pod } = this.#choice;
    if (pod === undefined) return undefined;
    const annotations = await this.#sources.namespaces.findNamespaceAnnotations(pod.namespace, this.#signal);
    return annotations[policyAnnotation];
  }
}

function prepareAt(source: NetworkText, cniArgs: string | undefined): PreparedList {
  try {
    return prepareList(source.text, source.fallbackName, cniArgs);
  } catch (error) {
    if (error instanceof Failure)
      throw new Failure(error.failureClass, `${source.where}: ${error.message}`, { cause: error });
    if (!(error instanceof Error)) throw error;
    const details = error instanceof CniError ? error.details : undefined;
    throw new Failure("invalid-configuration", `${source.where}: ${error.message}`, {
      cause: error,
      ...(details === undefined ? {} : { details }),
    });
  }
}

function readPluginPolicies(where: string, prepared: PreparedList): Readonly<Record<string, ResolvedPolicy>> {
  const entries = Object.entries(prepared.pluginPolicies).map(([index, text]) => {
    const place: PolicyPlace = {
      source: "plugin-configuration",
      where: `${where}: plugins[${index}].delErrorPolicy`,
      text,
    };
    return [index, { policy: readPolicy(place), source: place.source }] as const;
  });
  return Object.fromEntries(entries);
}
