import { matchesFilter, viewAttachments } from "../attachments/attachment-view.ts";
import type { FlightRecorder } from "../attachments/flight-recorder.ts";
import type { Instruments, Log } from "../attachments/instruments.ts";
import type { BootClock, SandboxStore } from "../attachments/ports.ts";
import type { SandboxEntry } from "../attachments/sandbox-record.ts";
import type {
  AttachmentFilter,
  AttachmentView,
  DeletionRetryView,
  DeletionView,
  ExplainView,
  LeakView,
  OperatorQueries,
} from "../attachments/views.ts";
import type { Leftover } from "./assess-leftover.ts";
import type { PolicyOf } from "./attachment-outcome.ts";
import type { DeletionLedger } from "./deletion-ledger.ts";
import type { DeletionRecord } from "./deletion-record.ts";
import type { DeletionScheduler } from "./deletion-scheduler.ts";
import { viewAttempts, viewDeletion } from "./deletion-view.ts";
import { viewLeak } from "./leak-view.ts";

export interface DeskParts {
  readonly store: SandboxStore;
  readonly ledger: DeletionLedger;
  readonly scheduler: DeletionScheduler;
  readonly policyOf: PolicyOf;
  readonly recorder: FlightRecorder;
  readonly instruments: Instruments;
  readonly clock: BootClock;
  /** Which records no live sandbox stands behind. */
  readonly assess: (entry: SandboxEntry) => Promise<Leftover | undefined>;
  readonly log: Log;
}

/** Beyond it a list is of no use to anybody. */
const maxLeaks = 10_000;

/** What an operator can see and do. */
export class OperatorDesk implements OperatorQueries {
  readonly #parts: DeskParts;

  constructor(parts: DeskParts) {
    this.#parts = parts;
  }

  async listAttachments(filter: AttachmentFilter): Promise<readonly AttachmentView[]> {
    const views: AttachmentView[] = [];
    for await (const stored of this.#parts.store.list()) {
      if (stored.kind !== "entry" || stored.entry.state === "done") continue;
      views.push(...viewAttachments(stored.entry).filter((view) => matchesFilter(view, filter)));
    }
    return views;
  }

  async listDeletions(): Promise<readonly DeletionView[]> {
    await this.#parts.ledger.whenLoaded();
    return this.#parts.ledger.all().map((record) => this.#view(record));
  }

  async findDeletion(id: string): Promise<DeletionView | undefined> {
    await this.#parts.ledger.whenLoaded();
    const record = this.#parts.ledger.find(id);
    return record === undefined ? undefined : this.#wholeView(record);
  }

  async retryDeletion(id: string): Promise<DeletionRetryView | undefined> {
    const before = this.#parts.ledger.find(id);
    if (before === undefined) return undefined;
    this.#parts.log.info(
      { deletion: id, network: before.attachment.network },
      "operator asked for a deletion to be tried now",
    );
    const result = await this.#parts.scheduler.tryNow(id);
    const record = this.#parts.ledger.find(id) ?? result?.record ?? before;
    return { outcome: result?.outcome ?? "busy", deletion: this.#wholeView(record) };
  }

  async abandonDeletion(id: string, reason: string): Promise<DeletionView | undefined> {
    const record = this.#parts.ledger.find(id);
    if (record === undefined) return undefined;
    await this.#parts.scheduler.abandon(id);
    const { network } = record.attachment;
    this.#parts.log.warn(
      { deletion: id, containerID: record.sandbox, network, reason },
      "operator abandoned a deletion",
    );
    return { ...this.#wholeView(record), nextAttempt: null, reason: `abandoned: ${reason}` };
  }

  async listLeaks(): Promise<readonly LeakView[]> {
    const { store, assess } = this.#parts;
    const views: LeakView[] = [];
    for await (const stored of store.list()) {
      if (views.length >= maxLeaks) break;
      if (stored.kind !== "entry") continue;
      const leftover = await assess(stored.entry);
      if (leftover !== undefined) views.push(viewLeak(leftover));
    }
    return views;
  }

  async explain(pod: { readonly namespace: string; readonly name: string }): Promise<ExplainView> {
    const attachments = await this.listAttachments({ pod });
    const deletions = (await this.listDeletions()).filter(
      (view) => view.pod?.namespace === pod.namespace && view.pod.name === pod.name,
    );
    const uid = attachments[0]?.pod?.uid ?? deletions[0]?.pod?.uid ?? "";
    return {
      pod: { ...pod, uid },
      attachments,
      deletions,
      steps: this.#parts.recorder.stepsOf(pod),
      next: deletions.map(nextStep),
    };
  }

  #wholeView(record: DeletionRecord): DeletionView {
    return { ...this.#view(record), history: viewAttempts(record) };
  }

  #view(record: DeletionRecord): DeletionView {
    const { policyOf, clock, scheduler } = this.#parts;
    return viewDeletion(record, policyOf, clock, scheduler.dueInMs(record.id));
  }
}

function nextStep({ id, network, state, reason, next }: DeletionView): string {
  const what = `deletion ${id} of network "${network}"`;
  return state === "dead" ? `${what} was given up (${reason}): ${next}` : `${what}: ${next}`;
}
