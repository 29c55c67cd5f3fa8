import { Failure } from "../../src/attachments/failure.ts";
import type {
  NamespaceSource,
  NetworkDefinition,
  NetworkDefinitionSource,
  Pod,
  PodSource,
} from "../../src/attachments/ports.ts";
import type { PodReference } from "../../src/attachments/sandbox.ts";

/** Pods, definitions and namespaces in memory: what a cluster or a directory of manifests would know. */
export class FakeNetworkSource implements PodSource, NetworkDefinitionSource, NamespaceSource {
  readonly #pods = new Map<string, Pod>();
  readonly #definitions = new Map<string, NetworkDefinition>();
  readonly #broken = new Set<string>();
  readonly #namespaces = new Map<string, Readonly<Record<string, string>>>();
  #isReachable = true;

  /** Adds or replaces the pod of that name. */
  putPod(pod: Pod): void {
    this.#pods.set(`${pod.namespace}/${pod.name}`, pod);
  }

  removePod(namespace: string, name: string): void {
    this.#pods.delete(`${namespace}/${name}`);
  }

  putDefinition(definition: NetworkDefinition): void {
    this.#broken.delete(`${definition.namespace}/${definition.name}`);
    this.#definitions.set(`${definition.namespace}/${definition.name}`, definition);
  }

  /** There is such a definition, and it cannot be used. */
  breakDefinition(namespace: string, name: string): void {
    this.#broken.add(`${namespace}/${name}`);
  }

  putNamespace(name: string, annotations: Readonly<Record<string, string>>): void {
    this.#namespaces.set(name, annotations);
  }

  /** From now on nothing can be told, or all of it again. */
  setReachable(isReachable: boolean): void {
    this.#isReachable = isReachable;
  }

  async findPod({ namespace, name }: PodReference, signal: AbortSignal): Promise<Pod | undefined> {
    this.#check(signal);
    return this.#pods.get(`${namespace}/${name}`);
  }

  async findDefinition(
    namespace: string,
    name: string,
    signal: AbortSignal,
  ): Promise<NetworkDefinition | undefined> {
    this.#check(signal);
    const key = `${namespace}/${name}`;
    if (this.#broken.has(key)) throw new Failure("invalid-configuration", `definition ${key} is broken`);
    return this.#definitions.get(key);
  }

  async findNamespaceAnnotations(
    name: string,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, string>>> {
    this.#check(signal);
    return this.#namespaces.get(name) ?? {};
  }

  #check(signal: AbortSignal): void {
    signal.throwIfAborted();
    if (!this.#isReachable) throw new Failure("not-ready", "the source of pods cannot be reached");
  }
}
