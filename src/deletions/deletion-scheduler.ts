import { elapsedMs } from "../attachments/age.ts";
import type { FlightRecorder } from "../attachments/flight-recorder.ts";
import type { Instruments, Log } from "../attachments/instruments.ts";
import type { BootClock } from "../attachments/ports.ts";
import type { RequestSlots } from "../attachments/request-slots.ts";
import type { SandboxTurns } from "../attachments/sandbox-turns.ts";
import { abortable } from "../foundation/abort.ts";
import { nextDelayMs } from "../foundation/backoff.ts";
import { monotonicNs, msToNs, nsToMs } from "../foundation/clock.ts";
import { Deadline } from "../foundation/deadline.ts";
import { formatDuration } from "../foundation/duration.ts";
import type { Slot } from "../foundation/fair-queue.ts";
import type { PolicyOf } from "./attachment-outcome.ts";
import type { AttemptResult } from "./deletion-attempt.ts";
import type { DeletionLedger } from "./deletion-ledger.ts";
import type { DeletionRecord } from "./deletion-record.ts";
import { NetworkCircuits } from "./network-circuits.ts";
import { owedIndexes } from "./run-attachment-deletion.ts";

export interface SchedulerParts {
  readonly ledger: DeletionLedger;
  readonly attempt: (deletion: DeletionRecord, signal: AbortSignal) => Promise<AttemptResult>;
  /** Called for a deletion whose plugins are all done, before it is closed. */
  readonly removeFiles: (deletion: DeletionRecord) => Promise<void>;
  readonly policyOf: PolicyOf;
  readonly slots: RequestSlots;
  readonly turns: SandboxTurns;
  readonly instruments: Instruments;
  readonly recorder: FlightRecorder;
  readonly clock: BootClock;
  readonly log: Log;
  readonly random: () => number;
}

interface RunningAttempt {
  readonly result: Promise<AttemptResult | undefined>;
  /** Lets it go on without a slot of its own. */
  readonly hurry: AbortController;
}

/** Tries run beside each other, so that a plugin which hangs for one network delays no other network's debts. */
const concurrentAttempts = 8;

/**
 * Retries what is owed until it is done or given up: at once after a start, then ever more rarely. A network that
 * fails for all of its deletions is asked by one probe at a time; its first success makes all of them due.
 */
export class DeletionScheduler {
  readonly #parts: SchedulerParts;
  readonly #dueNs = new Map<string, bigint>();
  readonly #running = new Map<string, RunningAttempt>();
  readonly #circuits = new NetworkCircuits();
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  /** What the timer waits for. */
  #armedNs: bigint | undefined;

  constructor(parts: SchedulerParts) {
    this.#parts = parts;
    parts.ledger.whenOwed((record, origin) => this.#onOwed(record, origin));
  }

  /** When the next try of a deletion is due, in milliseconds from now; `undefined` for a dead letter. */
  dueInMs(id: string): number | undefined {
    const dueNs = this.#dueNs.get(id);
    return dueNs === undefined ? undefined : Math.max(0, nsToMs(dueNs - monotonicNs()));
  }

  /**
   * Tries a deletion now, a dead letter too; `undefined` if it is not known, is being tried, or its container is being
   * added, which tries it by itself before anything is attached.
   */
  async tryNow(id: string): Promise<AttemptResult | undefined> {
    const record = this.#parts.ledger.find(id);
    if (record === undefined || this.#running.has(id)) return undefined;
    if (this.#parts.turns.isAdding(record.sandbox)) return undefined;
    return await this.#start(id).result;
  }

  /**
   * Before an ADD of the same container: waits for tries that run, then tries once what is owed. The caller has said
   * that it is adding, so that no further try begins meanwhile, and has a request slot, so that none is waited for:
   * ADDs that hold all slots would wait for each other.
   * @param signal the ADD's; ends the wait and the tries with its reason
   */
  async settleSandbox(containerId: string, signal: AbortSignal): Promise<void> {
    const { ledger } = this.#parts;
    await abortable(ledger.whenLoaded(), signal);
    for (const { id } of ledger.ofSandbox(containerId)) {
      const running = this.#running.get(id);
      running?.hurry.abort();
      if (running !== undefined) await abortable(running.result, signal);
      if (ledger.find(id)?.state === "pending") await this.#start(id, signal).result;
      signal.throwIfAborted();
    }
  }

  /** Gives a deletion up for good, after a try that runs. */
  async abandon(id: string): Promise<void> {
    await this.#running.get(id)?.result;
    this.#dueNs.delete(id);
    await this.#parts.ledger.close(id);
  }

  /** No try begins any more; those that run are ended and stay owed. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#stopping.abort();
    await Promise.all([...this.#running.values()].map(({ result }) => result));
  }

  #onOwed(record: DeletionRecord, origin: "tried" | "found"): void {
    if (record.state === "dead") return;
    const hasFailed = origin === "tried" && record.attemptCount > 0;
    this.#schedule(record, hasFailed ? this.#delayMs(record) : 0);
  }

  #delayMs(record: DeletionRecord): number {
    const { retry } = this.#policy(record);
    return nextDelayMs(elapsedMs(record.age, this.#parts.clock), retry, this.#parts.random);
  }

  #policy(record: DeletionRecord) {
    return this.#parts.policyOf(record.attachment, owedIndexes(record.attachment)[0] ?? 0).policy;
  }

  #schedule(record: DeletionRecord, delayMs: number): void {
    const dueNs = monotonicNs() + msToNs(delayMs);
    this.#dueNs.set(record.id, dueNs);
    if (this.#armedNs === undefined || dueNs < this.#armedNs) this.#armAt(dueNs);
  }

  #arm(): void {
    let earliest: bigint | undefined;
    for (const [id, dueNs] of this.#dueNs) {
      if (this.#running.has(id)) continue;
      if (earliest === undefined || dueNs < earliest) earliest = dueNs;
    }
    if (earliest !== undefined) this.#armAt(earliest);
  }

  /** Each wake looks at all that is owed, so that thousands are looked at less often. */
  #armAt(dueNs: bigint): void {
    clearTimeout(this.#timer);
    if (this.#stopping.signal.aborted) return;
    this.#armedNs = dueNs;
    const restMs = 5 + this.#dueNs.size / 100;
    const delayMs = Math.min(Math.max(restMs, nsToMs(dueNs - monotonicNs())), 60_000);
    this.#timer = setTimeout(() => {
      this.#armedNs = undefined;
      this.#runDue();
    }, delayMs);
  }

  #runDue(): void {
    const nowNs = monotonicNs();
    const due = [...this.#dueNs].filter(([id, dueNs]) => dueNs <= nowNs && !this.#running.has(id));
    due.sort(([, left], [, right]) => (left < right ? -1 : 1));
    for (const [id] of due) {
      const record = this.#parts.ledger.find(id);
      if (record === undefined) this.#dueNs.delete(id);
      else if (this.#running.size >= concurrentAttempts || this.#mustWait(record)) this.#putOff(id, nowNs);
      else void this.#start(id);
    }
    this.#arm();
  }

  /** Spread over some seconds, so that thousands that wait for one probe do not all wake up at once. */
  #putOff(id: string, nowNs: bigint): void {
    this.#dueNs.set(id, nowNs + msToNs(250 + this.#parts.random() * Math.min(5000, this.#dueNs.size)));
  }

  #mustWait(record: DeletionRecord): boolean {
    const isAdding = this.#parts.turns.isAdding(record.sandbox);
    return isAdding || !this.#circuits.mayTry(record.attachment.network);
  }

  /** @param adding the signal of an ADD that runs in a slot of its own: waiting for another could wait for itself */
  #start(id: string, adding?: AbortSignal): RunningAttempt {
    const hurry = new AbortController();
    if (adding !== undefined) hurry.abort();
    const stopping = this.#stopping.signal;
    const signal = adding === undefined ? stopping : AbortSignal.any([stopping, adding]);
    const network = this.#parts.ledger.find(id)?.attachment.network ?? "";
    this.#circuits.begin(network);
    const result = this.#attempt(id, hurry.signal, signal)
      .catch((err: unknown) => {
        if (!signal.aborted)
          this.#parts.log.error({ err, deletion: id }, "attempt at an owed deletion broke off");
        return undefined;
      })
      .finally(() => {
        this.#running.delete(id);
        this.#circuits.end(network);
        const now = this.#parts.ledger.find(id);
        if (now?.state === "pending") this.#schedule(now, this.#delayMs(now));
        else this.#dueNs.delete(id);
      });
    const running = { result, hurry };
    this.#running.set(id, running);
    return running;
  }

  async #attempt(id: string, hurry: AbortSignal, signal: AbortSignal): Promise<AttemptResult | undefined> {
    const { ledger, attempt, instruments, turns } = this.#parts;
    const slot = await this.#slot(hurry, signal);
    try {
      const record = ledger.find(id);
      if (record === undefined || signal.aborted) return undefined;
      const { network } = record.attachment;
      const result = await turns.insideNetworks([network], () => attempt(record, signal));
      instruments.deletionRetry(network, result.outcome);
      this.#tell(result);
      await this.#writeDown(record, result);
      return result;
    } finally {
      slot?.release();
    }
  }

  async #slot(hurry: AbortSignal, signal: AbortSignal): Promise<Slot | undefined> {
    if (hurry.aborted) return undefined;
    try {
      const either = AbortSignal.any([hurry, signal]);
      return await this.#parts.slots.acquire("retry", Deadline.after(3_600_000), either);
    } catch (error) {
      if (hurry.aborted && !signal.aborted) return undefined;
      throw error;
    }
  }

  async #writeDown(before: DeletionRecord, { outcome, record }: AttemptResult): Promise<void> {
    const { ledger } = this.#parts;
    const { network } = record.attachment;
    if (outcome === "settled") {
      await this.#parts.removeFiles(record);
      await ledger.conclude(before, record);
      if (this.#circuits.succeeded(network)) this.#makeDue(network);
      return;
    }
    if (outcome === "fenced")
      return await this.#bury(before, record, "a newer sandbox has this container and interface");
    this.#circuits.failed(network, record.id);
    const { giveUpAfterMs } = this.#policy(record).retry;
    const isOver = elapsedMs(record.age, this.#parts.clock) >= giveUpAfterMs;
    if (isOver && before.state !== "dead")
      return await this.#bury(before, record, `given up after ${formatDuration(giveUpAfterMs)}`);
    await ledger.conclude(before, record);
  }

  async #bury(before: DeletionRecord, record: DeletionRecord, reason: string): Promise<void> {
    const { network } = record.attachment;
    const why = reason.startsWith("given up") ? "age" : "fenced";
    this.#parts.instruments.deletionDead(network, why);
    this.#parts.log.error(
      { deletion: record.id, containerID: record.sandbox, network, reason },
      "owed deletion given up",
    );
    await this.#parts.ledger.conclude(before, { ...record, state: "dead", reason });
  }

  #makeDue(network: string): void {
    for (const record of this.#parts.ledger.all()) {
      if (record.state === "pending" && record.attachment.network === network) this.#schedule(record, 0);
    }
  }

  #tell({ outcome, record }: AttemptResult): void {
    const { network } = record.attachment;
    const { log, recorder, clock } = this.#parts;
    const fields = {
      deletion: record.id,
      containerID: record.sandbox,
      network,
      attempts: record.attemptCount,
      outcome,
    };
    log.info({ ...fields, lastError: record.lastError }, "owed deletion tried");
    recorder.record(record.pod, {
      at: clock.nowText(),
      requestId: `deletion-${record.id}`,
      command: "DEL",
      step: "retry",
      network,
      outcome,
      durationMs: record.attempts.at(-1)?.durationMs ?? 0,
      text: outcome === "failed" ? (record.lastError?.msg ?? "") : "",
    });
  }
}
