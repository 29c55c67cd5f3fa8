import type { PolicyMode, PolicySource } from "./error-policy.ts";
import type { PluginErrorFacts } from "./sandbox-record.ts";

/** `/v1/attachments` item (contract §2). */
export interface AttachmentView {
  readonly sandbox: string;
  readonly pod: PodView | null;
  readonly network: string;
  readonly interface: string;
  readonly plugins: readonly string[];
  readonly ips: readonly string[];
  readonly mac: string;
  readonly deviceId: string;
  readonly policy: PolicyView;
  readonly state: "adding" | "added" | "deleting";
  /** RFC 3339 UTC. */
  readonly since: string;
  /** The whole network-status of the sandbox, on its primary's item. */
  readonly networkStatus?: readonly unknown[];
}

export interface PodView {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export interface PolicyView {
  readonly mode: PolicyMode;
  readonly source: PolicySource;
}

/** `/v1/deletions` item (contract §2). */
export interface DeletionView {
  readonly id: string;
  readonly state: "pending" | "dead";
  readonly sandbox: string;
  readonly pod: PodView | null;
  readonly network: string;
  readonly interface: string;
  /** Types of the plugins whose DEL is left. */
  readonly plugins: readonly string[];
  readonly policy: PolicyView;
  readonly attempts: number;
  readonly lastError: PluginErrorFacts | null;
  /** RFC 3339 UTC; null for a dead letter. */
  readonly nextAttempt: string | null;
  readonly created: string;
  /** Elapsed since it is owed, duration text such as `3m20s`. */
  readonly age: string;
  readonly reason: string;
  /** What an operator can do about it, in a sentence. */
  readonly next: string;
  /** The first try and the latest ones, oldest first; only where one deletion is asked for. */
  readonly history?: readonly AttemptView[];
}

/** One try at an owed deletion. */
export interface AttemptView {
  /** RFC 3339 UTC. */
  readonly at: string;
  readonly outcome: "failed" | "fenced" | "interrupted";
  readonly durationMs: number;
  readonly error: PluginErrorFacts | null;
}

/** `/v1/leaks` item: a record that no live sandbox seems to stand behind. */
export interface LeakView {
  readonly sandbox: string;
  readonly pod: PodView | null;
  /** CNI_IFNAME of the sandbox's primary network. */
  readonly interface: string;
  readonly networks: readonly string[];
  readonly kind: "previous-boot" | "no-namespace";
  /** What the daemon does with it once its grace is over. */
  readonly action: "delete" | "report";
  /** RFC 3339 UTC. */
  readonly since: string;
  readonly why: string;
}

/** `/v1/explain`: everything known of a pod. */
export interface ExplainView {
  readonly pod: PodView;
  readonly attachments: readonly AttachmentView[];
  readonly deletions: readonly DeletionView[];
  readonly steps: readonly StepView[];
  /** What an operator can do now, in sentences. */
  readonly next: readonly string[];
}

export interface StepView {
  readonly at: string;
  readonly requestId: string;
  readonly command: string;
  readonly step: string;
  readonly network: string;
  readonly outcome: string;
  readonly durationMs: number;
  readonly text: string;
}

export interface AttachmentFilter {
  readonly pod?: { readonly namespace: string; readonly name: string };
  readonly network?: string;
  readonly sandbox?: string;
}

/** What an operator can ask and do over the socket. */
export interface OperatorQueries {
  listAttachments(filter: AttachmentFilter): Promise<readonly AttachmentView[]>;
  listDeletions(): Promise<readonly DeletionView[]>;
  findDeletion(id: string): Promise<DeletionView | undefined>;
  /** Tries it now and answers with what became of it; `undefined`: no such deletion. */
  retryDeletion(id: string): Promise<DeletionRetryView | undefined>;
  /** Gives it up for good; the reason goes to log and event. */
  abandonDeletion(id: string, reason: string): Promise<DeletionView | undefined>;
  /** Reports only; at most 10 000 of them. */
  listLeaks(): Promise<readonly LeakView[]>;
  explain(pod: { readonly namespace: string; readonly name: string }): Promise<ExplainView>;
}

export interface DeletionRetryView {
  readonly outcome: "settled" | "failed" | "fenced" | "busy";
  readonly deletion: DeletionView;
}

/** What is missing for `/readyz`, each named; empty when ADD can be served. */
export interface Readiness {
  missing(): readonly ReadinessGap[];
}

export interface ReadinessGap {
  /** Stable name such as `manifests`, `executor`, `state`, `shutdown`. */
  readonly what: string;
  readonly detail: string;
}
