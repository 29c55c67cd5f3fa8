import { elapsedMs } from "../attachments/age.ts";
import { Failure } from "../attachments/failure.ts";
import type { CniInvocation } from "../attachments/invocation.ts";
import type { RequestSlots } from "../attachments/request-slots.ts";
import { isOlder } from "../attachments/sandbox.ts";
import type { SandboxEntry, SandboxRecord } from "../attachments/sandbox-record.ts";
import { Deadline, DeadlineExceededError } from "../foundation/deadline.ts";
import type { AttachmentFiles } from "./attachment-files.ts";
import type { Responsibility, SettledAttachment } from "./attachment-outcome.ts";
import { deletionFailure } from "./deletion-failure.ts";
import type { RebuildSandbox } from "./rebuild-sandbox.ts";
import { owedIndexes } from "./run-attachment-deletion.ts";
import type { StrictWatch } from "./strict-watch.ts";
import type { TakeDown, TakeDownParts } from "./take-down.ts";

export interface DeleteParts extends TakeDownParts {
  readonly takeDown: TakeDown;
  readonly slots: RequestSlots;
  readonly files: AttachmentFiles;
  readonly rebuild: RebuildSandbox;
  readonly strictWatch: StrictWatch;
}

interface DeleteTerms {
  readonly deadline: Deadline;
  /** `answered`: the runtime has its success already. */
  readonly of: "runtime" | "answered";
  /** For the deletions that come of it. */
  readonly reason: string;
  /** Plugins of entries that come later and share the deadline. */
  readonly pluginsAfter?: number;
  /** The caller runs in a slot of its own: waiting for another one could wait for itself. */
  readonly hasSlot?: boolean;
}

/** Kept of the caller's time, so that the daemon has answered before the shim decides by itself. */
const keptForAnswerMs = 1000;

/** DEL of a sandbox: a runtime's, one from the spool, and the undoing of an ADD; all go the same way down. */
export class DeleteSandbox {
  readonly #parts: DeleteParts;

  constructor(parts: DeleteParts) {
    this.#parts = parts;
  }

  /**
   * A runtime's DEL: cancels an ADD that is under way, then deletes what the record (or, without one, the best other
   * source) says. Resolves when nothing is left that the runtime must ask for again.
   * @throws {Failure} what strict networks could not delete; `deadline-exceeded` if the caller's time was over before
   */
  async delete(invocation: CniInvocation): Promise<void> {
    const { turns, settings, tools } = this.#parts;
    const deadline = deleteDeadline(invocation, settings().timeouts.delMs);
    if (await this.#isDoneAlready(invocation)) return;
    using patience = deadline.signal();
    try {
      await turns.runDelete(invocation, tools.clock.bootId, patience, async () => {
        const terms = { deadline, of: "runtime", reason: "its DEL failed" } as const;
        refuseWhatIsReturned(await this.#deleteInTurn(invocation, terms));
      });
    } catch (error) {
      throw error instanceof DeadlineExceededError ? callerGone() : error;
    }
  }

  /**
   * One entry of a container, for a caller that has the sandbox's turn.
   * @throws {Failure} what strict networks could not delete
   */
  async deleteEntryInTurn(
    record: SandboxRecord,
    invocation: CniInvocation,
    deadline: Deadline,
  ): Promise<void> {
    const terms = { deadline, of: "runtime", reason: "its hot-unplug failed" } as const;
    refuseWhatIsReturned(await this.#takeDown(record, invocation, terms));
  }

  /**
   * A DEL that the shim spooled: the runtime has its success already, and an answer that was given is never undone, so
   * that what a strict network fails at is owed by the daemon.
   */
  async deleteSpooled(invocation: CniInvocation): Promise<void> {
    await this.#parts.turns.run(invocation.containerId, () => this.#deleteSpooled(invocation, false));
  }

  /** The same, for a caller that has the sandbox's turn and a request slot. */
  async deleteSpooledInTurn(invocation: CniInvocation): Promise<void> {
    await this.#deleteSpooled(invocation, true);
  }

  /** Finishes in its own turn a DEL that an earlier daemon began; a strict network that still fails gets its timer. */
  async resume(record: SandboxRecord): Promise<void> {
    const deadline = Deadline.after(this.#parts.settings().timeouts.delMs);
    const { netns } = record;
    const reason = "its DEL was cut off with an earlier daemon, and failed";
    await this.#takeDown(record, { requestId: "recovery", netns }, { deadline, of: "runtime", reason });
  }

  /**
   * Takes down in its own turn a sandbox that its runtime does not know any more, by policy; what a strict network
   * fails at is owed, since there is nobody to refuse.
   */
  async collect(record: SandboxRecord, requestId: string): Promise<void> {
    await this.#parts.takeDown.run({
      record,
      responsibility: nobodyToRefuse,
      requestId,
      netns: record.netns,
      deadline: Deadline.after(this.#parts.settings().timeouts.delMs),
      reason: "its runtime does not list it any more, and its DEL failed",
      pluginsAfter: 0,
      mayRun: true,
    });
  }

  /** Undoes an ADD in its own turn, or what is left of one: what cannot be undone is owned by the daemon, whatever the policy. */
  async undo(record: SandboxRecord, requestId: string, reason = undoneAdd): Promise<void> {
    await this.#parts.takeDown.run({
      record,
      responsibility: { of: "daemon" },
      requestId,
      netns: record.netns,
      deadline: Deadline.after(this.#parts.settings().timeouts.delMs),
      reason,
      pluginsAfter: 0,
      mayRun: true,
    });
  }

  async #deleteSpooled(invocation: CniInvocation, hasSlot: boolean): Promise<void> {
    const deadline = Deadline.after(this.#parts.settings().timeouts.delMs);
    const reason = "its DEL came while no daemon was there, and failed";
    await this.#deleteInTurn(invocation, { deadline, of: "answered", reason, hasSlot });
  }

  /**
   * A runtime sends DEL again at each Stop and at Remove: that must wake nobody and wait for nothing. Without a turn,
   * which is right only while no other request of the sandbox is there.
   */
  async #isDoneAlready(invocation: CniInvocation): Promise<boolean> {
    const { turns, store } = this.#parts;
    if (turns.isBusy(invocation.containerId)) return false;
    const entries = await store.loadContainer(invocation.containerId);
    const isMarked = entries.some(({ ifName, state }) => ifName === invocation.ifName && state === "done");
    return isMarked && !entries.some(isHotPlugged) && !turns.isBusy(invocation.containerId);
  }

  async #deleteInTurn(invocation: CniInvocation, terms: DeleteTerms): Promise<readonly SettledAttachment[]> {
    const records = await this.#hotPlugged(invocation);
    const own = await this.#find(invocation);
    if (own !== undefined) records.push(own);
    const settled: SettledAttachment[] = [];
    const failures: unknown[] = [];
    for (const [position, record] of records.entries()) {
      try {
        const later = records.slice(position + 1);
        settled.push(
          ...(await this.#takeDown(record, invocation, { ...terms, pluginsAfter: owedOf(later) })),
        );
      } catch (error) {
        // What cannot be written down for one entry keeps no plugin of the others from running.
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    return settled;
  }

  async #takeDown(
    record: SandboxRecord,
    invocation: Pick<CniInvocation, "requestId" | "netns">,
    terms: DeleteTerms,
  ): Promise<readonly SettledAttachment[]> {
    const { takeDown, strictWatch } = this.#parts;
    const { deadline, of, reason, pluginsAfter = 0 } = terms;
    const slot = terms.hasSlot === true ? undefined : await this.#slot(deadline);
    try {
      const settled = await takeDown.run({
        record,
        responsibility: of === "answered" ? nobodyToRefuse : this.#refusalsSoFar(record),
        requestId: invocation.requestId,
        netns: of === "answered" ? invocation.netns || record.netns : invocation.netns,
        deadline,
        reason,
        pluginsAfter,
        mayRun: terms.hasSlot === true || slot !== undefined,
      });
      strictWatch.look(record, settled);
      return settled;
    } finally {
      slot?.release();
    }
  }

  /** Networks that were attached to the running pod, latest first; its primary's DEL ends them too. */
  async #hotPlugged(invocation: CniInvocation): Promise<SandboxRecord[]> {
    const entries = await this.#parts.store.loadContainer(invocation.containerId);
    return entries
      .filter(isHotPlugged)
      .filter(({ generation }) => !isOlder(invocation.generation, generation, this.#parts.tools.clock.bootId))
      .reverse();
  }

  /** `undefined`: there is nothing to do. */
  async #find(invocation: CniInvocation): Promise<SandboxRecord | undefined> {
    const { store, rebuild, log, tools } = this.#parts;
    const stored = await store.load(invocation);
    if (stored.kind === "entry") {
      if (stored.entry.state === "done") return undefined;
      if (!isOlder(invocation.generation, stored.entry.generation, tools.clock.bootId)) return stored.entry;
      log.info(
        { containerID: invocation.containerId },
        "late deletion is older than the sandbox that is there now",
      );
      return undefined;
    }
    const record = await rebuild.rebuild(invocation);
    await this.#saveIfPossible(record);
    return record;
  }

  /** Attempts, policy and escalation want a record; a full disk must not stop the plugins, though. */
  async #saveIfPossible(record: SandboxRecord): Promise<void> {
    try {
      await this.#parts.store.save(record);
    } catch (err) {
      this.#parts.log.warn(
        { err, containerID: record.containerId },
        "record of a deletion could not be written",
      );
    }
  }

  #refusalsSoFar({ refusals }: SandboxRecord): Responsibility {
    if (refusals === undefined) return { of: "runtime", refusals: 0, refusedForMs: 0 };
    const refusedForMs = elapsedMs(refusals.age, this.#parts.tools.clock);
    return { of: "runtime", refusals: refusals.count, refusedForMs };
  }

  /** A live daemon never refuses a DEL: without a slot in time everything is settled by policy. */
  async #slot(deadline: Deadline) {
    const limit = Deadline.after(Math.max(0, deadline.remainingMs() - 2 * keptForAnswerMs));
    try {
      return await this.#parts.slots.acquire("del", limit);
    } catch (error) {
      if (error instanceof Failure && error.failureClass === "too-busy") return undefined;
      throw error;
    }
  }
}

const undoneAdd = "an ADD was undone, and this part of it could not be";

function deleteDeadline(invocation: CniInvocation, ownMs: number): Deadline {
  const own = Deadline.after(ownMs);
  if (invocation.deadlineNs === undefined) return own;
  const callersMs = Deadline.at(invocation.deadlineNs).remainingMs();
  return own.earlier(Deadline.after(callersMs - keptForAnswerMs));
}

/** By policy, for whom no error can reach: as a strict network whose runtime has given up. */
const nobodyToRefuse = { of: "runtime", refusals: Number.POSITIVE_INFINITY, refusedForMs: 0 } as const;

function refuseWhatIsReturned(settled: readonly SettledAttachment[]): void {
  const returned = settled.filter((attachment) => attachment.returned.length > 0);
  if (returned.length > 0) throw deletionFailure(returned);
}

function owedOf(records: readonly SandboxRecord[]): number {
  const attachments = records.flatMap((record) => record.attachments);
  return attachments.reduce((sum, attachment) => sum + owedIndexes(attachment).length, 0);
}

function isHotPlugged(entry: SandboxEntry): entry is SandboxRecord {
  return entry.state !== "done" && entry.hotPlugged === true;
}

function callerGone(): Failure {
  return new Failure(
    "deadline-exceeded",
    "DEL waited for its turn until its caller's time was over; nothing was run, the caller decides by its policy",
  );
}
