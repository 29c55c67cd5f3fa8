import type { PolicyMode } from "./error-policy.ts";

export type DelDecision = "returned" | "tolerated" | "deferred" | "ignored" | "escalated";

export type RetryOutcome = "settled" | "failed" | "fenced";

/** What the domain counts (contract §7). The adapter bounds label values; nothing here may throw. */
export interface Instruments {
  cniRequest(facts: {
    readonly command: string;
    readonly outcome: "success" | "failure" | "cancelled";
    readonly code: number;
    readonly seconds: number;
  }): void;
  delegateExecution(facts: {
    readonly network: string;
    readonly plugin: string;
    readonly command: string;
    readonly outcome: "success" | "error" | "timeout" | "killed" | "not-started" | "cancelled";
    readonly seconds: number;
  }): void;
  delFailure(facts: {
    readonly network: string;
    readonly plugin: string;
    readonly policy: PolicyMode;
    readonly decision: DelDecision;
    readonly code: number;
  }): void;
  /** Makes a network's DEL failure and dead letter counters exist at 0, from its first ADD. */
  networkSeen(network: string, plugins: readonly string[]): void;
  /** `unverified`: settled without its namespace although there was a device. */
  deletionRetry(network: string, outcome: RetryOutcome | "unverified"): void;
  deletionDead(network: string, reason: string): void;
  /** A dead letter went to the archive. */
  deletionArchived(network: string): void;
  /** Owed deletions now, by network and state, and the ages of the oldest pending and the oldest dead one. */
  deletionsOwed(
    counts: readonly {
      readonly network: string;
      readonly state: "pending" | "dead";
      readonly count: number;
    }[],
    oldestAgeSeconds: number,
    oldestDeadAgeSeconds?: number,
  ): void;
  spooledDeletion(): void;
  stateCorrupt(kind: "sandbox" | "deletion" | "spool" | "scratch" | "cache"): void;
  sandboxes(count: number): void;
  queueWait(lane: string, seconds: number): void;
  delegatesRunning(count: number): void;
}

/** Structured log; static message, values as fields, never a configuration. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): Log;
}
