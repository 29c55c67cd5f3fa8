import type { NamespaceIdentity, PodReference, SandboxKey } from "./sandbox.ts";
import type { SandboxEntry } from "./sandbox-record.ts";

/** A pod as far as networks go. */
export interface Pod {
  readonly namespace: string;
  readonly name: string;
  readonly uid?: string;
  readonly annotations: Readonly<Record<string, string>>;
  /** A static pod's mirror has another UID than the kubelet's CNI_ARGS say. */
  readonly isStatic: boolean;
}

/** A NetworkAttachmentDefinition. */
export interface NetworkDefinition {
  readonly namespace: string;
  readonly name: string;
  readonly annotations: Readonly<Record<string, string>>;
  /** `spec.config`, exactly as written; empty or absent: the file of this name in `confDir`. */
  readonly config?: string;
}

/** Where pods come from: a cluster or a directory of manifests. */
export interface PodSource {
  /** The newest known pod of that name, `undefined` if there is none. Rejects with a `Failure` if it cannot be told. */
  findPod(reference: PodReference, signal: AbortSignal): Promise<Pod | undefined>;
}

/** Where network definitions come from: a cluster or a directory of manifests. */
export interface NetworkDefinitionSource {
  /** `undefined` if there is none. Rejects with a `Failure` (`invalid-configuration` for one that is there but broken). */
  findDefinition(
    namespace: string,
    name: string,
    signal: AbortSignal,
  ): Promise<NetworkDefinition | undefined>;
}

/** Both annotations of a namespace object; without a cluster always empty. */
export interface NamespaceSource {
  findNamespaceAnnotations(name: string, signal: AbortSignal): Promise<Readonly<Record<string, string>>>;
}

export interface Link {
  readonly name: string;
  readonly index: number;
  readonly mac: string;
  readonly mtu: number;
  readonly up: boolean;
}

/** Network namespaces, seen by the native arm. */
export interface Namespaces {
  /** `undefined` if nothing is at `path` or it is no network namespace. */
  identify(path: string): Promise<NamespaceIdentity | undefined>;
  /** All links of the namespace; empty if the path is no namespace. */
  listLinks(path: string): Promise<readonly Link[]>;
  /**
   * Keeps the namespace alive under `key` and takes its links down; where it is reached from then on, `undefined` if
   * `path` is not (any more) the one with that cookie. Bounded in number and time; gone with the native arm.
   */
  pin(path: string, key: string, cookie: string): Promise<string | undefined>;
  unpin(key: string): Promise<void>;
}

/** What a store found where a record should be. `unreadable` has been moved to quarantine already. */
export type StoredSandbox =
  | { readonly kind: "entry"; readonly entry: SandboxEntry }
  | { readonly kind: "missing" }
  | { readonly kind: "unreadable"; readonly reason: string; readonly quarantined: string };

/**
 * Durable sandbox records, one file a container (`sandboxes/<containerID>.json`). A write is on disk when its
 * promise resolves. Passing read errors (EMFILE, EIO) are retried, then rejected with a `storage-failed` failure.
 */
export interface SandboxStore {
  load(key: SandboxKey): Promise<StoredSandbox>;
  /** Every entry of the container, for hot-plugged interfaces and for the strict marker. */
  loadContainer(containerId: string): Promise<readonly SandboxEntry[]>;
  /** Replaces the entry of the same key in one rename. Rejects with `storage-failed`; the old entry then still stands. */
  save(entry: SandboxEntry): Promise<void>;
  remove(key: SandboxKey): Promise<void>;
  /** All entries in no order, read as they are asked for; unreadable files are quarantined and reported. */
  list(): AsyncIterable<StoredSandbox>;
}

/** Files that upstream multus and libcni look for, so that a node can be moved there and back. */
export interface UpstreamFiles {
  /** Upstream's `<cniDir>/<containerID>`: delegates of a sandbox it attached; unreadable ones are quarantined. */
  readScratch(containerId: string): Promise<UpstreamScratch>;
  writeScratch(containerId: string, delegates: readonly UpstreamDelegate[]): Promise<void>;
  removeScratch(containerId: string): Promise<void>;
  /** Quarantines, and so counts, the libcni cache file of an attachment that could not be read. */
  quarantineCache(fileName: string): Promise<void>;
}

export type UpstreamScratch =
  | { readonly kind: "delegates"; readonly delegates: readonly UpstreamDelegate[] }
  | { readonly kind: "missing" }
  | { readonly kind: "unreadable"; readonly reason: string; readonly quarantined: string };

export interface UpstreamDelegate {
  /** List or single plugin configuration, exact text (upstream's `Bytes`). */
  readonly config: string;
  readonly name: string;
  readonly interfaceRequest?: string;
  readonly macRequest?: string;
  readonly ipRequest?: readonly string[];
  readonly deviceId?: string;
}

/** Boot identity and the clock that orders requests across processes. */
export interface BootClock {
  readonly bootId: string;
  /** CLOCK_MONOTONIC in nanoseconds. */
  nowNs(): bigint;
  /** Wall clock as RFC 3339 UTC, for people only. */
  nowText(): string;
}
