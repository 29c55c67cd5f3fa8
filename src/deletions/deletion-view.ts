import { elapsedMs } from "../attachments/age.ts";
import type { BootClock } from "../attachments/ports.ts";
import type { PodReference } from "../attachments/sandbox.ts";
import type { AttemptView, DeletionView, PodView } from "../attachments/views.ts";
import { formatDuration } from "../foundation/duration.ts";
import type { PolicyOf } from "./attachment-outcome.ts";
import type { DeletionRecord } from "./deletion-record.ts";
import { owedIndexes, owedPlugins } from "./run-attachment-deletion.ts";

/** An owed deletion as operators see it. @param dueInMs milliseconds until the next try */
export function viewDeletion(
  record: DeletionRecord,
  policyOf: PolicyOf,
  clock: BootClock,
  dueInMs: number | undefined,
): DeletionView {
  const { attachment } = record;
  const { policy, source } = policyOf(attachment, owedIndexes(attachment)[0] ?? 0);
  const isPending = record.state === "pending" && dueInMs !== undefined;
  return {
    id: record.id,
    state: record.state,
    sandbox: record.sandbox,
    pod: viewPod(record.pod),
    network: attachment.network,
    interface: attachment.interface,
    plugins: owedPlugins(attachment),
    policy: { mode: policy.mode, source },
    attempts: record.attemptCount,
    lastError: record.lastError ?? null,
    nextAttempt: isPending ? new Date(Date.parse(clock.nowText()) + dueInMs).toISOString() : null,
    created: record.created,
    age: formatDuration(wholeSeconds(elapsedMs(record.age, clock))),
    reason: record.reason,
    next: nextStep(record),
  };
}

/** The tries that a deletion remembers, oldest first. */
export function viewAttempts(record: DeletionRecord): readonly AttemptView[] {
  return record.attempts.map(({ at, outcome, durationMs, error = null }) => ({
    at,
    outcome,
    durationMs,
    error,
  }));
}

function nextStep({ id, state, death }: DeletionRecord): string {
  const retry = `"multusctl deletions retry ${id}"`;
  if (state === "pending") return `it is tried again by itself; ${retry} tries it now`;
  const abandon = `"multusctl deletions abandon ${id} --reason …"`;
  const revival =
    death === "age" ? "; it is tried again by itself once a DEL of this network has succeeded" : "";
  return `mend the cause, then ${retry}, or ${abandon}${revival}`;
}

/** A pod as operators see it; `null` where none is known. */
export function viewPod(pod: PodReference | undefined): PodView | null {
  return pod === undefined ? null : { namespace: pod.namespace, name: pod.name, uid: pod.uid ?? "" };
}

function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}
