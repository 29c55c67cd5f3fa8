import type { ResolvedPolicy } from "./error-policy.ts";
import type { NetworkStatus } from "./network-status.ts";
import type { Generation, NamespaceIdentity, PodReference, SandboxKey } from "./sandbox.ts";

/** One attachment as it was made at ADD; everything its DEL needs, so that DEL asks nobody. */
export interface AttachmentRecord {
  /** Definition's `ns/name`, or the network name of a list from a file. */
  readonly network: string;
  /** CNI `name` of the list: the key of libcni's cache, never the identity of a network. */
  readonly listName: string;
  readonly interface: string;
  /** The list's exact text as it was executed at ADD, before name, prevResult and runtimeConfig go in. */
  readonly config: string;
  /** CNI_ARGS pairs in order. */
  readonly args: readonly (readonly [string, string])[];
  /** Capability arguments: capability name to JSON text. */
  readonly capabilityArgs: Readonly<Record<string, string>>;
  /** Directories that plugins were looked for in at ADD, in order. */
  readonly searchPath: readonly string[];
  /** Directory that plugins are chrooted into; absent: none. */
  readonly root?: string;
  readonly deviceId?: string;
  /** The list's final result, JSON text; absent while the ADD is under way. */
  readonly result?: string;
  readonly policy: ResolvedPolicy;
  /** Policies of single plugins, by index in the list. */
  readonly pluginPolicies?: Readonly<Record<string, ResolvedPolicy>>;
  readonly state: "adding" | "added" | "deleting";
  /** Indexes of the plugins whose DEL is still owed; absent: all of the list. */
  readonly owed?: readonly number[];
  readonly lastError?: PluginErrorFacts;
  /** RFC 3339 UTC. */
  readonly since: string;
}

export interface PluginErrorFacts {
  readonly plugin: string;
  readonly code: number;
  readonly msg: string;
}

/** A sandbox's networks. Durable before the first delegate runs, and again when all are attached. */
export interface SandboxRecord extends SandboxKey {
  /** `adding`: nobody has the result yet; such a record is rolled back by the next start of the daemon. */
  readonly state: "adding" | "added" | "deleting";
  readonly generation: Generation;
  readonly pod?: PodReference;
  readonly netns: string;
  readonly netnsIdentity?: NamespaceIdentity;
  /** RFC 3339 UTC, for people; order and age never use it. */
  readonly created: string;
  readonly attachments: readonly AttachmentRecord[];
  /** Attached to a running pod by a hot-plug client: taken down with the sandbox's other entries. */
  readonly hotPlugged?: true;
  readonly networkStatus?: readonly NetworkStatus[];
  /** Strict refusals of this sandbox's DEL so far, and their age. */
  readonly refusals?: { readonly count: number; readonly age: Age };
}

/** Elapsed time that survives restarts: added up from the monotonic clock, a new boot adds only its own. */
export interface Age {
  readonly elapsedMs: number;
  readonly bootId: string;
  /** Monotonic nanoseconds, decimal, at which `elapsedMs` was true. */
  readonly atNs: string;
}

/** What stays of a sandbox whose DEL is done: the runtime's next DEL is a silent success. */
export interface DoneMark extends SandboxKey {
  readonly state: "done";
  readonly generation: Generation;
  readonly age: Age;
}

export type SandboxEntry = SandboxRecord | DoneMark;
