import type { AddUndo } from "../attachments/add-sandbox.ts";
import { buildDelegates } from "../attachments/build-delegates.ts";
import type { ChosenNetwork, Delegate } from "../attachments/delegate.ts";
import { type DelegateTools, observedRuntime } from "../attachments/delegate-runtime.ts";
import { Failure } from "../attachments/failure.ts";
import { podReferenceOf } from "../attachments/find-pod.ts";
import { heldResources } from "../attachments/held-resources.ts";
import type { Log } from "../attachments/instruments.ts";
import type { CniInvocation, InterfaceAttributes } from "../attachments/invocation.ts";
import type { LiveAttachments } from "../attachments/live-attachments.ts";
import { readMultusConfiguration } from "../attachments/multus-configuration.ts";
import type { NetworkSelection } from "../attachments/network-selection.ts";
import type { Namespaces, SandboxStore } from "../attachments/ports.ts";
import { prepareList } from "../attachments/prepare-list.ts";
import { requestFailure } from "../attachments/request-failure.ts";
import type { RequestSlots } from "../attachments/request-slots.ts";
import { readPolicy, resolvePolicy } from "../attachments/resolve-policy.ts";
import type { ResourceLocks } from "../attachments/resource-locks.ts";
import { attachmentOf } from "../attachments/sandbox-intent.ts";
import type { AttachmentRecord, SandboxRecord } from "../attachments/sandbox-record.ts";
import type { SandboxTurns } from "../attachments/sandbox-turns.ts";
import { pluginLimitMs, type ReadSettings } from "../attachments/settings.ts";
import { hasStrictNetwork } from "../attachments/strict-network.ts";
import { addNetworkList, CniError, convertResult, printResult } from "../cni/index.ts";
import { Deadline } from "../foundation/deadline.ts";
import { formatDuration } from "../foundation/duration.ts";
import type { DeleteSandbox } from "./delete-sandbox.ts";
import type { StrictMarkers } from "./ports.ts";

export interface HotPlugParts {
  readonly tools: DelegateTools;
  readonly settings: ReadSettings;
  readonly namespaces: Namespaces;
  readonly store: SandboxStore;
  readonly turns: SandboxTurns;
  readonly locks: ResourceLocks;
  readonly live: LiveAttachments;
  readonly slots: RequestSlots;
  readonly strictMarkers: StrictMarkers;
  readonly deleteSandbox: DeleteSandbox;
  /** Settles what an earlier life of this interface left. Called inside the sandbox's turn. */
  readonly settleDebts: AddUndo["settleDebts"];
  readonly clearResources: AddUndo["clearResources"];
  readonly log: Log;
}

/**
 * `/delegate`: one more network for a running pod, by a controller's own configuration. It becomes an entry of its
 * own in the container's record, so that the sandbox's DEL takes it down with the rest.
 */
export class HotPlug {
  readonly #parts: HotPlugParts;

  constructor(parts: HotPlugParts) {
    this.#parts = parts;
  }

  /** The network's result at CNI 1.1.0, JSON text. */
  async attach(
    invocation: CniInvocation,
    attributes: InterfaceAttributes,
    caller: AbortSignal,
  ): Promise<string> {
    const { turns, slots, settings } = this.#parts;
    const deadline = Deadline.after(settings().timeouts.addMs);
    using limit = deadline.signal(caller);
    try {
      return await turns.runAdd(invocation, limit, async (signal) => {
        const slot = await slots.acquire("add", deadline, signal);
        try {
          return await this.#attachInTurn(invocation, attributes, deadline, signal);
        } finally {
          slot.release();
        }
      });
    } catch (error) {
      throw requestFailure(error, `timeouts.add is ${formatDuration(settings().timeouts.addMs)}`);
    }
  }

  async #attachInTurn(
    invocation: CniInvocation,
    attributes: InterfaceAttributes,
    deadline: Deadline,
    signal: AbortSignal,
  ): Promise<string> {
    const { tools, settings: readSettings, turns, namespaces, locks } = this.#parts;
    const settings = readSettings();
    const chosen = this.#choose(invocation, attributes);
    const [delegate] = buildDelegates(
      [chosen],
      invocation,
      readMultusConfiguration("{}", settings.overlay),
      settings,
    );
    if (delegate === undefined) throw new Failure("internal", "a hot-plug request came to no network");
    await this.#parts.settleDebts(invocation, signal);
    await this.#checkFree(invocation, chosen.network);
    const pod = podReferenceOf(invocation.args);
    const identity = await namespaces.identify(invocation.netns);
    const intent: SandboxRecord = {
      containerId: invocation.containerId,
      ifName: invocation.ifName,
      state: "adding",
      generation: invocation.generation,
      ...(pod === undefined ? {} : { pod }),
      netns: invocation.netns,
      ...(identity === undefined ? {} : { netnsIdentity: identity }),
      created: tools.clock.nowText(),
      attachments: [attachmentOf(delegate, tools.clock)],
      hotPlugged: true,
    };
    tools.instruments.networkSeen(
      chosen.network,
      chosen.list.plugins.map((plugin) => plugin.type),
    );
    await this.#parts.clearResources(intent.attachments, signal);
    const wanted = intent.attachments.flatMap(heldResources);
    const begun = { isDurable: false };
    try {
      return await turns.insideNetworks([chosen.network], () =>
        locks.holding(wanted, signal, async () => {
          await this.#begin(intent, begun);
          return await this.#run(intent, delegate, invocation, deadline, signal);
        }),
      );
    } catch (error) {
      if (begun.isDurable) await this.#undo(intent, invocation.requestId);
      signal.throwIfAborted();
      throw requestFailure(error, "timeouts.add", { network: chosen.network, interface: invocation.ifName });
    }
  }

  async #begin(intent: SandboxRecord, begun: { isDurable: boolean }): Promise<void> {
    await this.#parts.store.save(intent);
    begun.isDurable = true;
    if (hasStrictNetwork(intent)) await this.#parts.strictMarkers.set(intent.containerId);
  }

  async #run(
    intent: SandboxRecord,
    delegate: Delegate,
    invocation: CniInvocation,
    deadline: Deadline,
    signal: AbortSignal,
  ): Promise<string> {
    const { tools, settings, store, live } = this.#parts;
    const { network, list, attachment } = delegate;
    const context = { network, pod: intent.pod, requestId: invocation.requestId };
    const limitMs = pluginLimitMs(settings(), network, list.name);
    const result = await live.attaching(network, async () => {
      const attached = await addNetworkList(observedRuntime(tools, context), list, attachment, {
        signal,
        pluginTimeoutMs: () => Math.min(limitMs, deadline.remainingMs()),
      });
      await store.save({
        ...intent,
        state: "added",
        attachments: attachedWith(intent, printResult(attached)),
      });
      return attached;
    });
    signal.throwIfAborted();
    return printResult(convertResult(result, "1.1.0"));
  }

  #choose(invocation: CniInvocation, attributes: InterfaceAttributes): ChosenNetwork {
    const settings = this.#parts.settings();
    const where = "hot-plugged network configuration";
    const prepared = prepare(invocation.config, attributes.cniArgs, where);
    const { list } = prepared;
    const configuration = readMultusConfiguration("{}", settings.overlay);
    const policy = resolvePolicy(settings, list.name, list.name, [
      { source: "network-configuration", where: `${where}: delErrorPolicy`, text: prepared.policy },
      {
        source: "multus-configuration",
        where: "multus configuration: delErrorPolicy",
        text: configuration.delErrorPolicy,
      },
    ]);
    const pluginPolicies = Object.entries(prepared.pluginPolicies).map(([index, text]) => {
      const place = {
        source: "plugin-configuration",
        where: `${where}: plugins[${index}].delErrorPolicy`,
        text,
      } as const;
      return [index, { policy: readPolicy(place), source: place.source }] as const;
    });
    const selection: NetworkSelection = {
      namespace: "",
      name: list.name,
      ...(attributes.ips === undefined ? {} : { ips: attributes.ips }),
      ...(attributes.mac === undefined ? {} : { mac: attributes.mac }),
    };
    return {
      network: list.name,
      list,
      policy,
      pluginPolicies: Object.fromEntries(pluginPolicies),
      selection,
    };
  }

  async #checkFree(invocation: CniInvocation, network: string): Promise<void> {
    const { store, namespaces } = this.#parts;
    const [entries, links] = await Promise.all([
      store.loadContainer(invocation.containerId),
      namespaces.listLinks(invocation.netns),
    ]);
    const { ifName } = invocation;
    const recorded = entries.some(
      (entry) =>
        entry.state !== "done" &&
        (entry.ifName === ifName || entry.attachments.some((own) => own.interface === ifName)),
    );
    if (!recorded && links.every((link) => link.name !== invocation.ifName)) return;
    throw new Failure(
      "invalid-configuration",
      `network "${network}": interface "${invocation.ifName}" exists in this sandbox already; ask for another name`,
    );
  }

  /** Never rejects: why the attach failed is what its caller must hear. The record then stands for the sandbox's DEL. */
  async #undo(intent: SandboxRecord, requestId: string): Promise<void> {
    try {
      await this.#parts.deleteSandbox.undo(intent, requestId);
    } catch (err) {
      this.#parts.log.error({ err, containerID: intent.containerId }, "failed hot-plug could not be undone");
    }
  }
}

function attachedWith(intent: SandboxRecord, result: string): readonly AttachmentRecord[] {
  return intent.attachments.map((attachment) => ({ ...attachment, state: "added", result }));
}

function prepare(text: string, cniArgs: string | undefined, where: string) {
  try {
    return prepareList(text, undefined, cniArgs);
  } catch (error) {
    if (error instanceof Failure || !(error instanceof CniError)) throw error;
    throw new Failure("invalid-configuration", `${where}: ${error.message}`, { cause: error });
  }
}
