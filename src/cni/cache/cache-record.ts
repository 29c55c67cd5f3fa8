import type { CniResult } from "../results/cni-result.ts";

/** What is kept of an attachment between ADD and DEL (libcni `cachedInfo`). */
export interface CacheRecord {
  readonly networkName: string;
  readonly containerId: string;
  readonly ifName: string;
  /** Empty in records of libcni before v1.2.0. */
  readonly netns: string;
  /** Text of the list's main file, without drop-in plugins; absent in records of libcni v0.7. */
  readonly config?: string;
  readonly args: readonly (readonly [string, string])[];
  /** Capability to JSON text; all that the runtime gave, wanted by a plugin or not. */
  readonly capabilityArgs: Readonly<Record<string, string>>;
  /** Final result of ADD, in its own version. */
  readonly result?: CniResult;
}

/** Names one attachment, and so one file. */
export type CacheKey = Pick<CacheRecord, "networkName" | "containerId" | "ifName">;

/** What `kind` says in a record. */
export const cacheKind = "cniCacheV1";
