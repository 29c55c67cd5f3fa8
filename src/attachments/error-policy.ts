/** What becomes of a plugin's failed DEL (contract §4). */
export type PolicyMode = "strict" | "lenient" | "deferred";

export type IgnoreRule = { readonly code: number } | { readonly message: string } | "gone";

/** All times in milliseconds; every field is filled in from the defaults. */
export interface ErrorPolicy {
  readonly mode: PolicyMode;
  readonly firstAttempt: "inline" | "none";
  readonly escalate: { readonly attempts: number; readonly ageMs: number };
  readonly retry: { readonly initialMs: number; readonly maxMs: number; readonly giveUpAfterMs: number };
  readonly ignore: readonly IgnoreRule[];
}

/** Where a policy was found; part of record, log line, metric and `explain`. */
export type PolicySource =
  | "daemon-networks"
  | "definition"
  | "network-configuration"
  | "plugin-configuration"
  | "namespace"
  | "multus-configuration"
  | "default"
  | "unreadable-record";

export interface ResolvedPolicy {
  readonly policy: ErrorPolicy;
  readonly source: PolicySource;
}
