import { elapsedMs } from "../attachments/age.ts";
import type { RequestSlots } from "../attachments/request-slots.ts";
import type { SandboxTurns } from "../attachments/sandbox-turns.ts";
import { abortable } from "../foundation/abort.ts";
import { nextDelayMs } from "../foundation/backoff.ts";
import { monotonicNs, msToNs, nsToMs } from "../foundation/clock.ts";
import { Deadline } from "../foundation/deadline.ts";
import type { Slot } from "../foundation/fair-queue.ts";
import { type ConclusionParts, concludeAttempt, retryBounds } from "./attempt-conclusion.ts";
import { type DebtHead, DebtLanes } from "./debt-lanes.ts";
import type { AttemptResult } from "./deletion-attempt.ts";
import type { DeletionRecord } from "./deletion-record.ts";
import { NetworkChanges, type Surroundings } from "./network-changes.ts";
import { NetworkCircuits } from "./network-circuits.ts";

export interface SchedulerParts extends ConclusionParts {
  readonly attempt: (deletion: DeletionRecord, signal: AbortSignal) => Promise<AttemptResult>;
  readonly slots: RequestSlots;
  readonly turns: SandboxTurns;
  /** How many tries the operator allows a deletion's network beside each other. */
  readonly concurrencyOf: (deletion: DeletionRecord) => number | undefined;
  /** What a deletion's next try depends on; looked at every few seconds, so it must be cheap. */
  readonly surroundingsOf: (deletion: DeletionRecord) => Surroundings;
  readonly random: () => number;
}

interface RunningAttempt {
  readonly result: Promise<AttemptResult | undefined>;
  /** Lets it go on without a slot of its own. */
  readonly hurry: AbortController;
  /** Of a network that counts as down. */
  readonly isProbe: boolean;
}

/** Tries beside each other; those of networks that are down are counted by themselves, so that hanging probes of
 * many such networks delay no debt of one that works. */
const concurrentAttempts = { normal: 8, probe: 4 };
/** How long a debt is put off whose container is being added. */
const addingGapMs = 250;
const lookIntervalMs = 5000;

/**
 * Retries what is owed until it is done or given up: at once after a start, then ever more rarely. A network that
 * fails for all of its deletions is asked by one probe at a time; its first success makes all of them due.
 */
export class DeletionScheduler {
  readonly #parts: SchedulerParts;
  readonly #waiting = new DebtLanes();
  readonly #running = new Map<string, RunningAttempt>();
  readonly #circuits = new NetworkCircuits();
  readonly #changes: NetworkChanges;
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #looker: NodeJS.Timeout | undefined;
  /** What the timer waits for. */
  #armedNs: bigint | undefined;

  constructor(parts: SchedulerParts) {
    this.#parts = parts;
    this.#changes = new NetworkChanges(parts.surroundingsOf);
    parts.ledger.whenOwed((record, origin) => this.#onOwed(record, origin));
  }

  /** When the next try of a deletion is due, in milliseconds from now; `undefined` for a dead letter. */
  dueInMs(id: string): number | undefined {
    if (this.#running.has(id)) return 0;
    const dueNs = this.#waiting.dueNs(id);
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
    await this.#settle(
      ledger.ofSandbox(containerId).map(({ id }) => id),
      signal,
    );
  }

  /** The same for debts of other containers. Those that are being added are left to their own ADD. */
  async settle(ids: readonly string[], signal: AbortSignal): Promise<void> {
    const { ledger, turns } = this.#parts;
    for (const id of ids) {
      if (!turns.isAdding(ledger.find(id)?.sandbox ?? "")) await this.#settle([id], signal);
    }
  }

  async #settle(ids: readonly string[], signal: AbortSignal): Promise<void> {
    const { ledger } = this.#parts;
    for (const id of ids) {
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
    this.#waiting.delete(id);
    await this.#parts.ledger.close(id);
  }

  /** Looks for changed plugins and settings of networks with debts, which makes their debts due. Runs by itself, too. */
  look(): void {
    const { ledger } = this.#parts;
    const debts = this.#waiting.heads().flatMap(({ id }) => ledger.find(id) ?? []);
    for (const network of this.#changes.changed(debts)) {
      this.#parts.log.info(
        { network },
        "plugin or settings of a network have changed: its debts are tried now",
      );
      this.#circuits.succeeded(network);
      this.#makeDue(network);
    }
    ledger.refreshGauges();
  }

  /** No try begins any more; those that run are ended and stay owed. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    clearInterval(this.#looker);
    this.#stopping.abort();
    await Promise.all([...this.#running.values()].map(({ result }) => result));
    await this.#parts.ledger.whenIdle();
  }

  #onOwed(record: DeletionRecord, origin: "tried" | "found" | "revived"): void {
    this.#lookFromNowOn();
    if (record.state === "dead") return;
    const hasFailed = origin === "tried" && record.attemptCount > 0;
    this.#schedule(record, hasFailed ? this.#delayMs(record) : 0);
  }

  #lookFromNowOn(): void {
    if (this.#stopping.signal.aborted) return;
    this.#looker ??= setInterval(() => this.look(), lookIntervalMs).unref();
  }

  #delayMs(record: DeletionRecord): number {
    const { clock, policyOf, random } = this.#parts;
    return nextDelayMs(elapsedMs(record.age, clock), retryBounds(policyOf, record), random);
  }

  #schedule({ id, attachment }: DeletionRecord, delayMs: number): void {
    const dueNs = monotonicNs() + msToNs(delayMs);
    this.#waiting.set(id, attachment.network, dueNs);
    this.#armAt(dueNs);
  }

  #makeDue(network: string): void {
    const nowNs = monotonicNs();
    this.#waiting.advance(network, nowNs);
    this.#armAt(nowNs);
  }

  #armAt(dueNs: bigint): void {
    if (this.#stopping.signal.aborted) return;
    if (this.#armedNs !== undefined && this.#armedNs <= dueNs) return;
    clearTimeout(this.#timer);
    this.#armedNs = dueNs;
    const delayMs = Math.min(Math.max(restMs, nsToMs(dueNs - monotonicNs())), 60_000);
    this.#timer = setTimeout(() => {
      this.#armedNs = undefined;
      this.#runDue();
    }, delayMs);
  }

  /** Starts what may run, a debt of each network in turn, until nothing more may. */
  #runDue(): void {
    for (let hasStarted = true; hasStarted; ) {
      hasStarted = false;
      for (const head of this.#waiting.heads()) hasStarted = this.#startHead(head) || hasStarted;
    }
  }

  /** True if the lane has another head now. Where it must wait, whatever it waits for arms the timer. */
  #startHead({ id, network, dueNs }: DebtHead): boolean {
    const { ledger, turns, concurrencyOf } = this.#parts;
    const nowNs = monotonicNs();
    if (dueNs > nowNs) {
      this.#armAt(dueNs);
      return false;
    }
    const record = ledger.find(id);
    if (record?.state !== "pending" || this.#running.has(id)) {
      this.#waiting.delete(id);
      return true;
    }
    if (turns.isAdding(record.sandbox)) {
      this.#waiting.set(id, network, nowNs + msToNs(addingGapMs));
      return true;
    }
    if (!this.#circuits.mayTry(network, concurrencyOf(record))) {
      const probeNs = this.#circuits.nextProbeNs(network);
      if (probeNs !== undefined) this.#armAt(probeNs);
      return false;
    }
    if (!this.#hasRoom(network)) return false;
    void this.#start(id);
    this.#waiting.served(network);
    return true;
  }

  #hasRoom(network: string): boolean {
    const isProbe = this.#circuits.isDown(network);
    const alike = [...this.#running.values()].filter((running) => running.isProbe === isProbe);
    return alike.length < (isProbe ? concurrentAttempts.probe : concurrentAttempts.normal);
  }

  /** @param adding the signal of an ADD that runs in a slot of its own: waiting for another could wait for itself */
  #start(id: string, adding?: AbortSignal): RunningAttempt {
    const hurry = new AbortController();
    if (adding !== undefined) hurry.abort();
    const stopping = this.#stopping.signal;
    const signal = adding === undefined ? stopping : AbortSignal.any([stopping, adding]);
    const network = this.#parts.ledger.find(id)?.attachment.network ?? "";
    const isProbe = this.#circuits.isDown(network);
    this.#circuits.begin(network);
    this.#waiting.delete(id);
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
        this.#armAt(monotonicNs());
      });
    const running = { result, hurry, isProbe };
    this.#running.set(id, running);
    return running;
  }

  async #attempt(id: string, hurry: AbortSignal, signal: AbortSignal): Promise<AttemptResult | undefined> {
    const { ledger, attempt, turns } = this.#parts;
    const slot = await this.#slot(hurry, signal);
    try {
      const record = ledger.find(id);
      if (record === undefined || signal.aborted) return undefined;
      const { network } = record.attachment;
      const result = await turns.insideNetworks([network], () => attempt(record, signal));
      this.#note(network, result);
      await concludeAttempt(this.#parts, record, result);
      if (result.outcome === "settled") ledger.networkWorked(network);
      return result;
    } finally {
      slot?.release();
    }
  }

  #note(network: string, { outcome, record }: AttemptResult): void {
    if (outcome === "failed") this.#circuits.failed(network, record.id);
    if (outcome === "settled" && this.#circuits.succeeded(network)) this.#makeDue(network);
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
}

/** Between two wakes: what becomes due together is started together. */
const restMs = 5;
