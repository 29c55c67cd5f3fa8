import { addNetworkList, type CniResult, convertResult, parseResult, printResult } from "../cni/index.ts";
import type { Deadline } from "../foundation/deadline.ts";
import { buildNetworkStatus } from "./build-network-status.ts";
import { cacheResult } from "./cache-result.ts";
import type { Delegate } from "./delegate.ts";
import { type DelegateTools, observedRuntime } from "./delegate-runtime.ts";
import { Failure } from "./failure.ts";
import { heldResources } from "./held-resources.ts";
import type { CniInvocation } from "./invocation.ts";
import type { LiveAttachments } from "./live-attachments.ts";
import { readMultusConfiguration } from "./multus-configuration.ts";
import type { NetworkStatus } from "./network-status.ts";
import { type AddPlan, addDeadline, intentOf, type PlanParts, planAdd } from "./plan-add.ts";
import type { Pod, SandboxStore, UpstreamFiles } from "./ports.ts";
import { addFailure } from "./request-failure.ts";
import type { RequestSlots } from "./request-slots.ts";
import type { ResourceLocks } from "./resource-locks.ts";
import { attachedRecord, attachmentOf, isStillAttached, upstreamDelegates } from "./sandbox-intent.ts";
import type { AttachmentRecord, SandboxRecord } from "./sandbox-record.ts";
import type { SandboxTurns } from "./sandbox-turns.ts";
import { type DomainSettings, pluginLimitMs, type ReadSettings } from "./settings.ts";
import { SideWrites } from "./side-writes.ts";
import { hasStrictNetwork } from "./strict-network.ts";

/** The other half of an ADD: debts of before, and undoing. Implemented by the deletions. */
export interface AddUndo {
  /** Settles what an earlier life of this container left: spooled and owed DELs. Called inside the sandbox's turn. */
  settleDebts(invocation: CniInvocation, signal: AbortSignal): Promise<void>;
  /** Settles, waits for or refuses what earlier sandboxes owe of the devices and addresses that these want. */
  clearResources(attachments: readonly AttachmentRecord[], signal: AbortSignal): Promise<void>;
  /** Takes a sandbox's networks down now; what fails is owned and retried by the daemon, whatever the policy. */
  undo(record: SandboxRecord, requestId: string): Promise<void>;
  /** As `undo`, for a sandbox whose record could not be read: from the best sources that are left. */
  undoUnrecorded(invocation: CniInvocation): Promise<void>;
}

export interface AddParts extends PlanParts {
  readonly tools: DelegateTools;
  readonly settings: ReadSettings;
  readonly store: SandboxStore;
  readonly upstream: UpstreamFiles;
  readonly strictMarkers: { set(containerId: string): Promise<void> };
  readonly turns: SandboxTurns;
  readonly locks: ResourceLocks;
  readonly live: LiveAttachments;
  readonly slots: RequestSlots;
  readonly undo: AddUndo;
  readonly writeStatus: (
    pod: Pod | undefined,
    status: readonly NetworkStatus[],
    signal: AbortSignal,
  ) => Promise<void>;
}

/** What must be undone if the ADD does not come to its end. */
interface BegunAdd {
  /** Durable, so that it must be taken back. */
  intent?: SandboxRecord;
  /** Attachments whose plugins may have run, the one under way included. */
  tried: number;
  readonly writes: SideWrites;
}

/**
 * ADD of a sandbox: chooses its networks, makes the intent durable, attaches them in order, and undoes everything if
 * one fails, the time is over, the caller goes or a DEL arrives.
 */
export class AddSandbox {
  readonly #parts: AddParts;

  constructor(parts: AddParts) {
    this.#parts = parts;
  }

  /** The primary network's result, JSON text, in the version that the caller's configuration asks for. */
  async add(invocation: CniInvocation, caller: AbortSignal): Promise<string> {
    const { turns, settings: readSettings, slots } = this.#parts;
    const settings = readSettings();
    const deadline = addDeadline(invocation, settings);
    using limit = deadline.signal(caller);
    try {
      return await turns.runAdd(invocation, limit, async (signal) => {
        const slot = await slots.acquire("add", deadline, signal);
        try {
          return await this.#addInTurn(invocation, settings, deadline, signal);
        } finally {
          slot.release();
        }
      });
    } catch (error) {
      throw addFailure(error, settings);
    }
  }

  async #addInTurn(
    invocation: CniInvocation,
    settings: DomainSettings,
    deadline: Deadline,
    signal: AbortSignal,
  ): Promise<string> {
    const known = await this.#clearTheWay(invocation, settings, signal);
    if (known !== undefined) return known;
    const plan = await planAdd(this.#parts, invocation, settings, deadline, signal);
    const wanted = plan.delegates.map((delegate) => attachmentOf(delegate, this.#parts.tools.clock));
    await this.#parts.undo.clearResources(wanted, signal);
    const networks = plan.delegates.map((delegate) => delegate.network);
    const begun: BegunAdd = { tried: 0, writes: new SideWrites() };
    try {
      return await this.#parts.turns.insideNetworks(networks, () => this.#attachAll(plan, begun));
    } catch (error) {
      // Outside of the networks again: undoing enters them itself, and a GC may wait between.
      await begun.writes.finish().catch(() => undefined);
      if (begun.intent !== undefined) await this.#undo(begun.intent, begun.tried, invocation.requestId);
      throw error;
    }
  }

  /** Never rejects: why the ADD failed is what the runtime must hear. The record then stands until its DEL. */
  async #undo(intent: SandboxRecord, tried: number, requestId: string): Promise<void> {
    try {
      const attachments = intent.attachments.slice(0, tried);
      await this.#parts.undo.undo({ ...intent, attachments }, requestId);
    } catch (err) {
      this.#parts.log.error({ err, containerID: intent.containerId }, "failed add could not be undone");
    }
  }

  /** Deals with what is there under this container ID; an ADD that was made already answers with its result. */
  async #clearTheWay(
    invocation: CniInvocation,
    settings: DomainSettings,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { store, undo, namespaces, log } = this.#parts;
    await undo.settleDebts(invocation, signal);
    const stored = await store.load(invocation);
    if (stored.kind === "unreadable") await undo.undoUnrecorded(invocation);
    if (stored.kind !== "entry" || stored.entry.state === "done") return undefined;
    const record = stored.entry;
    const identity = await namespaces.identify(invocation.netns);
    const primary = record.attachments[0];
    if (primary?.result !== undefined && isStillAttached(record, invocation, identity)) {
      log.info(
        { containerID: invocation.containerId },
        "add of a sandbox that is attached already: its result is given again",
      );
      const { callerCniVersion } = readMultusConfiguration(invocation.config, settings.overlay);
      return printResult(convertResult(parseResult(primary.result, ""), callerCniVersion));
    }
    await undo.undo(record, invocation.requestId);
    return undefined;
  }

  /** Inside the networks, never the other way round: a GC that waits between would wait for whoever has the locks. */
  async #attachAll(plan: AddPlan, begun: BegunAdd): Promise<string> {
    const intent = intentOf(plan, this.#parts.tools.clock);
    const wanted = intent.attachments.flatMap(heldResources);
    return await this.#parts.locks.holding(wanted, plan.signal, () =>
      this.#attachIntended(plan, intent, begun),
    );
  }

  async #attachIntended(plan: AddPlan, intent: SandboxRecord, begun: BegunAdd): Promise<string> {
    const { store, strictMarkers, tools, upstream, live } = this.#parts;
    for (const { network, list } of plan.delegates) {
      const plugins = list.plugins.map((plugin) => plugin.type);
      tools.instruments.networkSeen(network, plugins);
    }
    await store.save(intent);
    begun.intent = intent;
    begun.writes.begin(upstream.writeScratch(intent.containerId, upstreamDelegates(plan.delegates)));
    // After the intent: a marker that no record stands behind would be nobody's to remove.
    if (hasStrictNetwork(intent)) begun.writes.begin(strictMarkers.set(intent.containerId));
    const results: CniResult[] = [];
    for (const delegate of plan.delegates) {
      plan.signal.throwIfAborted();
      const attachment = intent.attachments[begun.tried];
      begun.tried += 1;
      const result = await live.attaching(delegate.network, async () => {
        const attached = await this.#attach(plan, delegate);
        if (attachment !== undefined) live.learn(intent, { ...attachment, result: printResult(attached) });
        return attached;
      });
      begun.writes.begin(cacheResult(tools.cni.cache, delegate, result));
      results.push(result);
    }
    return await this.#finish(plan, attachedRecord(intent, results), results, begun.writes);
  }

  async #attach(plan: AddPlan, delegate: Delegate): Promise<CniResult> {
    const { tools } = this.#parts;
    const { invocation, podReference, settings, deadline, signal } = plan;
    const context = { network: delegate.network, pod: podReference, requestId: invocation.requestId };
    const ownLimitMs = pluginLimitMs(settings, delegate.network, delegate.list.name);
    const { cache: _written, ...runtime } = observedRuntime(tools, context);
    try {
      return await addNetworkList(runtime, delegate.list, delegate.attachment, {
        signal,
        pluginTimeoutMs: () => Math.min(ownLimitMs, deadline.remainingMs()),
      });
    } catch (error) {
      signal.throwIfAborted();
      throw addFailure(error, settings, delegate);
    }
  }

  async #finish(
    plan: AddPlan,
    record: SandboxRecord,
    results: readonly CniResult[],
    writes: SideWrites,
  ): Promise<string> {
    const { store, writeStatus, log } = this.#parts;
    const networkStatus = plan.delegates.flatMap((delegate, index) => {
      const result = results[index];
      return result === undefined ? [] : buildNetworkStatus(delegate.network, result, delegate.isPrimary);
    });
    plan.signal.throwIfAborted();
    const written = await Promise.allSettled([store.save({ ...record, networkStatus }), writes.finish()]);
    // Only now: a save that is still under way would come after the mark that undoing leaves.
    for (const outcome of written) if (outcome.status === "rejected") throw outcome.reason;
    plan.signal.throwIfAborted();
    await writeStatus(plan.pod, networkStatus, plan.signal);
    const [primary] = results;
    if (primary === undefined) throw new Failure("internal", "an ADD ended without a primary network");
    const interfaces = plan.delegates.map((delegate) => delegate.interface);
    log.info({ containerID: record.containerId, pod: plan.podReference, interfaces }, "sandbox attached");
    return printResult(convertResult(primary, plan.callerCniVersion));
  }
}
