import { elapsedMs } from "../attachments/age.ts";
import type { FlightRecorder } from "../attachments/flight-recorder.ts";
import type { Instruments, Log } from "../attachments/instruments.ts";
import type { BootClock } from "../attachments/ports.ts";
import { formatDuration } from "../foundation/duration.ts";
import type { PolicyOf } from "./attachment-outcome.ts";
import type { AttemptResult } from "./deletion-attempt.ts";
import type { DeletionLedger } from "./deletion-ledger.ts";
import type { DeletionRecord } from "./deletion-record.ts";
import { owedIndexes } from "./run-attachment-deletion.ts";

export interface ConclusionParts {
  readonly ledger: DeletionLedger;
  /** Called for a deletion whose plugins are all done, before it is closed. */
  readonly removeFiles: (deletion: DeletionRecord) => Promise<void>;
  readonly policyOf: PolicyOf;
  readonly instruments: Instruments;
  readonly recorder: FlightRecorder;
  readonly clock: BootClock;
  readonly log: Log;
}

/** The retry bounds in force for a deletion; the operator's `networks` come first. */
export function retryBounds(policyOf: PolicyOf, record: DeletionRecord) {
  return policyOf(record.attachment, owedIndexes(record.attachment)[0] ?? 0).policy.retry;
}

/**
 * Writes down what a try at an owed deletion came to, and tells it: closed, still owed, or given up.
 * @throws {Failure} `storage-failed`
 */
export async function concludeAttempt(
  parts: ConclusionParts,
  before: DeletionRecord,
  result: AttemptResult,
): Promise<void> {
  const { outcome, record, fenced = "" } = result;
  const { ledger, instruments } = parts;
  const isUnverified = result.isUnverified === true;
  instruments.deletionRetry(record.attachment.network, isUnverified ? "unverified" : outcome);
  tell(parts, result);
  if (outcome === "settled") {
    await parts.removeFiles(record);
    return await ledger.conclude(before, record);
  }
  if (outcome === "fenced") return await bury(parts, before, record, "fenced", fenced);
  const { giveUpAfterMs } = retryBounds(parts.policyOf, record);
  const isOver = elapsedMs(record.age, parts.clock) - (record.lifeFromMs ?? 0) >= giveUpAfterMs;
  if (isOver && before.state !== "dead")
    return await bury(parts, before, record, "age", `given up after ${formatDuration(giveUpAfterMs)}`);
  await ledger.conclude(before, record);
}

async function bury(
  { ledger, instruments, log }: ConclusionParts,
  before: DeletionRecord,
  record: DeletionRecord,
  death: "age" | "fenced",
  reason: string,
): Promise<void> {
  const { network } = record.attachment;
  instruments.deletionDead(network, death);
  log.error({ deletion: record.id, containerID: record.sandbox, network, reason }, "owed deletion given up");
  await ledger.conclude(before, { ...record, state: "dead", death, reason });
}

function tell({ log, recorder, clock }: ConclusionParts, result: AttemptResult): void {
  const { outcome, record, fenced } = result;
  const { network } = record.attachment;
  const fields = {
    deletion: record.id,
    containerID: record.sandbox,
    network,
    attempts: record.attemptCount,
    outcome,
  };
  if (result.isUnverified === true)
    log.warn(fields, "settled, unverified: the namespace is gone, so nobody saw the device come back");
  log.info({ ...fields, fenced, lastError: record.lastError }, "owed deletion tried");
  recorder.record(record.pod, {
    at: clock.nowText(),
    requestId: `deletion-${record.id}`,
    command: "DEL",
    step: "retry",
    network,
    outcome,
    durationMs: record.attempts.at(-1)?.durationMs ?? 0,
    text: outcome === "failed" ? (record.lastError?.msg ?? "") : (fenced ?? ""),
  });
}
