import { carryAge, newAge } from "../attachments/age.ts";
import type { DelegateTools } from "../attachments/delegate-runtime.ts";
import type { Log } from "../attachments/instruments.ts";
import type { Namespaces, SandboxStore } from "../attachments/ports.ts";
import type { AttachmentRecord, DoneMark, SandboxRecord } from "../attachments/sandbox-record.ts";
import type { SandboxTurns } from "../attachments/sandbox-turns.ts";
import { pluginLimitMs, type ReadSettings } from "../attachments/settings.ts";
import { hasStrictNetwork } from "../attachments/strict-network.ts";
import { Deadline } from "../foundation/deadline.ts";
import type { AttachmentFiles } from "./attachment-files.ts";
import {
  type PluginOutcome,
  type PolicyOf,
  type Responsibility,
  type SettledAttachment,
  settleAttachment,
} from "./attachment-outcome.ts";
import type { DeletionLedger } from "./deletion-ledger.ts";
import { deletionOf } from "./deletion-of.ts";
import { DeletionProgress } from "./deletion-progress.ts";
import { fencedNamespace } from "./namespace-fence.ts";
import type { NamespacePins } from "./namespace-pins.ts";
import type { StrictMarkers } from "./ports.ts";
import type { PluginFences, ResourceFence } from "./resource-fence.ts";
import { owedIndexes, runAttachmentDeletion, untriedPlugins } from "./run-attachment-deletion.ts";
import { tellOutcome } from "./tell-outcome.ts";

export interface TakeDownParts {
  readonly tools: DelegateTools;
  readonly settings: ReadSettings;
  readonly policyOf: PolicyOf;
  readonly namespaces: Namespaces;
  readonly fence: ResourceFence;
  readonly pins: NamespacePins;
  readonly store: SandboxStore;
  readonly ledger: DeletionLedger;
  readonly files: AttachmentFiles;
  readonly strictMarkers: StrictMarkers;
  readonly turns: SandboxTurns;
  readonly log: Log;
}

export interface TakeDownOrder {
  readonly record: SandboxRecord;
  readonly responsibility: Responsibility;
  readonly requestId: string;
  /** CNI_NETNS of this request; the fence may empty it. */
  readonly netns: string;
  readonly deadline: Deadline;
  /** For the deletions that come of it. */
  readonly reason: string;
  /** Plugins that must run within the deadline after those of this record. */
  readonly pluginsAfter: number;
  /** False: no plugin runs, all is settled as untried (no slot came free in time). */
  readonly mayRun: boolean;
}

/**
 * Takes a sandbox's networks down, in the sandbox's turn: the one path of a runtime's DEL, of a roll back, of a
 * spooled DEL and of GC. Deletions are durable first, then the sandbox's record is reduced or becomes a mark.
 */
export class TakeDown {
  readonly #parts: TakeDownParts;

  constructor(parts: TakeDownParts) {
    this.#parts = parts;
  }

  /**
   * What each attachment came to, in the order of deletion; those with `returned` plugins are still in the record.
   * @throws {Failure} `storage-failed` if the outcome cannot be written; the record then still stands as it was
   */
  async run(given: TakeDownOrder): Promise<readonly SettledAttachment[]> {
    const networks = given.record.attachments.map(({ network }) => network);
    return await this.#parts.turns.insideNetworks(networks, async () => {
      const order = { ...given, record: await this.#withResults(given.record) };
      const settled = await this.#runAll(order);
      for (const attachment of settled) tellOutcome(this.#parts, order, attachment);
      await this.#writeDown(order, settled);
      for (const { attachment, settled: failures } of settled)
        if (failures.length === 0) this.#parts.ledger.networkWorked(attachment.network);
      return settled;
    });
  }

  async #withResults(record: SandboxRecord): Promise<SandboxRecord> {
    const { files } = this.#parts;
    const recalled = record.attachments.map((own) => files.recallResult(record.containerId, own));
    return { ...record, attachments: await Promise.all(recalled) };
  }

  async #runAll(order: TakeDownOrder): Promise<readonly SettledAttachment[]> {
    const { store, log } = this.#parts;
    const { record, responsibility } = order;
    const netns = await this.#fence(order);
    const progress = new DeletionProgress(store, record, log);
    const settled: SettledAttachment[] = [];
    try {
      for (const [index, attachment] of [...record.attachments.entries()].reverse()) {
        const outcomes = await this.#runOne(order, attachment, index, netns, progress);
        settled.push(settleAttachment(attachment, outcomes, responsibility, this.#parts.policyOf));
      }
    } finally {
      await progress.stop();
    }
    return settled;
  }

  /** `undefined` where it cannot be told whose namespace the path is: then no plugin may see it, so none is run. */
  async #fence({ netns, record }: TakeDownOrder): Promise<string | undefined> {
    try {
      return await fencedNamespace(this.#parts.namespaces, netns, record.netnsIdentity);
    } catch (err) {
      this.#parts.log.warn({ err, containerID: record.containerId }, "namespace could not be identified");
      return undefined;
    }
  }

  async #runOne(
    order: TakeDownOrder,
    attachment: AttachmentRecord,
    index: number,
    netns: string | undefined,
    progress: DeletionProgress,
  ): Promise<readonly PluginOutcome[]> {
    const { tools, settings, fence } = this.#parts;
    const { record, deadline, requestId } = order;
    if (netns === undefined || !order.mayRun || this.#isPutOff(order, attachment))
      return untriedPlugins(attachment, "not tried yet");
    const before = record.attachments.slice(0, index);
    const run = (fences: PluginFences) =>
      runAttachmentDeletion(tools, {
        containerId: record.containerId,
        netns,
        attachment,
        fences,
        pod: record.pod,
        requestId,
        deadline,
        pluginsAfter: before.reduce((sum, other) => sum + owedIndexes(other).length, order.pluginsAfter),
        pluginTimeoutMs: pluginLimitMs(settings(), attachment.network, attachment.listName),
        onDeleted: (pluginIndex) => progress.deleted(index, pluginIndex),
      });
    // The other half of the time is for plugins, and for the attachments that follow.
    using patience = Deadline.after(deadline.remainingMs() / 2).signal();
    try {
      return await fence.guard(record, attachment, patience, run);
    } catch (error) {
      if (error !== patience.reason) throw error;
      return untriedPlugins(attachment, "an ADD that may get its device or address did not end in time");
    }
  }

  /** `firstAttempt: "none"`: the runtime is answered at once, everything runs later. */
  #isPutOff(order: TakeDownOrder, attachment: AttachmentRecord): boolean {
    if (order.responsibility.of !== "runtime") return false;
    return owedIndexes(attachment).every((index) => {
      const { policy } = this.#parts.policyOf(attachment, index);
      return policy.mode === "deferred" && policy.firstAttempt === "none";
    });
  }

  async #writeDown(order: TakeDownOrder, settled: readonly SettledAttachment[]): Promise<void> {
    const { ledger, store, tools, files, pins } = this.#parts;
    const { record } = order;
    const owed = settled.filter(({ deferred }) => deferred.length > 0);
    const debts = owed.map((attachment) => deletionOf(record, attachment, tools.clock, order.reason));
    // A roll back leaves the namespace to the next ADD, which may come in it.
    if (order.responsibility.of === "runtime") await pins.hold(record, order.netns, debts);
    await ledger.owe(debts);
    const gone = settled.filter((own) => own.deferred.length + own.returned.length === 0);
    const goneAttachments = gone.map(({ attachment }) => attachment);
    // Files first: who dies in between finds the record, which needs none of them; after the mark nobody looks again.
    const kept = keptAttachments(record, settled);
    const removed = files.removeCaches(record.containerId, goneAttachments);
    if (kept.length > 0) {
      await removed;
      return await store.save(refusedRecord(record, kept, order.responsibility, tools.clock));
    }
    await Promise.all([removed, this.#clearContainer(record)]);
    const mark: DoneMark = {
      containerId: record.containerId,
      ifName: record.ifName,
      state: "done",
      generation: record.generation,
      age: newAge(tools.clock),
    };
    await store.save(mark);
  }

  /** What is kept for the whole container goes with the last of its entries that needs it. Never rejects: all is settled. */
  async #clearContainer({ containerId, ifName }: SandboxRecord): Promise<void> {
    const { store, files, strictMarkers, log } = this.#parts;
    try {
      const entries = await store.loadContainer(containerId);
      const others = entries.filter(
        (entry): entry is SandboxRecord => entry.state !== "done" && entry.ifName !== ifName,
      );
      if (others.length === 0) await files.removeScratch(containerId);
      if (!others.some(hasStrictNetwork)) await strictMarkers.clear(containerId);
    } catch (err) {
      log.warn({ err, containerID: containerId }, "strict marker of a deleted sandbox could not be removed");
    }
  }
}

/** What a strict network still owes stays, so that the runtime's next DEL runs it and nothing else. */
function keptAttachments(
  record: SandboxRecord,
  settled: readonly SettledAttachment[],
): readonly AttachmentRecord[] {
  return record.attachments.flatMap((attachment): AttachmentRecord[] => {
    const own = settled.find((candidate) => candidate.attachment === attachment);
    if (own === undefined || own.returned.length === 0) return [];
    const lastError = own.settled.find(({ decision }) => decision === "returned")?.error;
    const owed = [...own.returned].sort((a, b) => a - b);
    return [{ ...attachment, state: "deleting", owed, ...(lastError === undefined ? {} : { lastError }) }];
  });
}

function refusedRecord(
  record: SandboxRecord,
  attachments: readonly AttachmentRecord[],
  responsibility: Responsibility,
  clock: DelegateTools["clock"],
): SandboxRecord {
  const before = record.refusals;
  const count = (before?.count ?? 0) + (responsibility.of === "runtime" ? 1 : 0);
  const age = before === undefined ? newAge(clock) : carryAge(before.age, clock);
  return { ...record, state: "deleting", attachments, refusals: { count, age } };
}
