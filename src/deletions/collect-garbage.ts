import { searchPath } from "../attachments/build-delegates.ts";
import { chooseClusterNetworks, type NetworkSources } from "../attachments/choose-networks.ts";
import { type DelegateTools, observedRuntime } from "../attachments/delegate-runtime.ts";
import { Failure } from "../attachments/failure.ts";
import type { Log } from "../attachments/instruments.ts";
import type { CniInvocation } from "../attachments/invocation.ts";
import { readMultusConfiguration } from "../attachments/multus-configuration.ts";
import type { Namespaces, SandboxStore } from "../attachments/ports.ts";
import { describeSandbox, isSameNamespace } from "../attachments/sandbox.ts";
import type { AttachmentRecord, SandboxRecord } from "../attachments/sandbox-record.ts";
import type { SandboxTurns } from "../attachments/sandbox-turns.ts";
import { pluginLimitMs, type ReadSettings } from "../attachments/settings.ts";
import {
  type CniError,
  collectGarbageNetworkList,
  type NetworkList,
  parseNetworkListOrPlugin,
  parseRawArray,
} from "../cni/index.ts";
import { Deadline } from "../foundation/deadline.ts";
import type { DeleteSandbox } from "./delete-sandbox.ts";

export interface GarbageParts {
  readonly tools: DelegateTools;
  readonly settings: ReadSettings;
  readonly sources: NetworkSources;
  readonly namespaces: Namespaces;
  readonly store: SandboxStore;
  readonly turns: SandboxTurns;
  readonly deleteSandbox: DeleteSandbox;
  readonly log: Log;
}

interface ValidAttachment {
  readonly containerId: string;
  readonly ifName: string;
}

/** A network is held for its GC at most this long. */
const perNetworkMs = 20_000;

/**
 * GC: what the runtime does not list any more, is not being added, and has lost its namespace goes through the DEL
 * path; then each network's plugins get GC with what is still valid for it, alone on that network.
 */
export class CollectGarbage {
  readonly #parts: GarbageParts;

  constructor(parts: GarbageParts) {
    this.#parts = parts;
  }

  /** @throws {Failure} that names every network whose GC failed; all others have been done */
  async collect(invocation: CniInvocation, caller: AbortSignal): Promise<void> {
    const settings = this.#parts.settings();
    const deadline = Deadline.after(settings.timeouts.gcMs);
    using signal = deadline.signal(caller);
    const configuration = readMultusConfiguration(invocation.config, settings.overlay);
    const listed = readValidAttachments(configuration.validAttachments);
    const containerIds = new Set(listed.map(({ containerId }) => containerId));
    for await (const record of this.#records()) {
      signal.throwIfAborted();
      if (!(await this.#isValid(record, containerIds))) await this.#delete(record, invocation.requestId);
    }
    const choice = { configuration, settings, pod: undefined };
    const cluster = await chooseClusterNetworks(this.#parts.sources, choice, signal);
    const networks = new Map<string, NetworkList>(cluster.map(({ network, list }) => [network, list]));
    for await (const { attachments } of this.#records()) {
      for (const attachment of attachments) this.#learnNetwork(networks, attachment);
    }
    const where = searchPath(configuration.binDir, settings.pluginPath, invocation.path);
    const problems: string[] = [];
    for (const [network, list] of networks) {
      const problem = await this.#collectOne(invocation, network, list, listed, where, signal);
      if (problem !== undefined) problems.push(problem);
    }
    if (problems.length > 0) throw new Failure("delegate-failed", problems.join("; "));
  }

  #learnNetwork(networks: Map<string, NetworkList>, { network, config }: AttachmentRecord): void {
    if (networks.has(network)) return;
    try {
      networks.set(network, parseNetworkListOrPlugin(config));
    } catch (err) {
      this.#parts.log.warn({ err, network }, "recorded configuration of a network cannot be used for its gc");
    }
  }

  async *#records(): AsyncIterable<SandboxRecord> {
    for await (const stored of this.#parts.store.list()) {
      if (stored.kind === "entry" && stored.entry.state !== "done") yield stored.entry;
    }
  }

  async #isValid(record: SandboxRecord, listed: ReadonlySet<string>): Promise<boolean> {
    if (listed.has(record.containerId) || this.#parts.turns.isBusy(record.containerId)) return true;
    if (record.netnsIdentity === undefined) return record.netns !== "";
    const present = await this.#parts.namespaces.identify(record.netns);
    return present !== undefined && isSameNamespace(present, record.netnsIdentity);
  }

  async #delete(record: SandboxRecord, requestId: string): Promise<void> {
    const { turns, store, deleteSandbox, log } = this.#parts;
    log.info(
      { containerID: record.containerId, pod: record.pod },
      "sandbox is not there any more: collected",
    );
    try {
      await turns.run(record.containerId, async () => {
        const stored = await store.load(record);
        if (stored.kind === "entry" && stored.entry.state !== "done")
          await deleteSandbox.collect(stored.entry, requestId);
      });
    } catch (err) {
      log.warn({ err, containerID: record.containerId }, "sandbox could not be collected");
    }
  }

  /**
   * What the network's plugins must keep, asked once nobody else is inside it, so that an ADD which came meanwhile is in
   * it: all that is recorded, by CNI name too, because that is what IPAM stores go by; what the runtime listed; and, for
   * listed containers without a record (quarantined, or attached by upstream), what libcni's cache knows.
   */
  async #validOn(
    network: string,
    listName: string,
    listed: readonly ValidAttachment[],
  ): Promise<readonly ValidAttachment[]> {
    const valid = new Map(listed.map((own) => [describeSandbox(own), own]));
    const keep = (own: ValidAttachment) => valid.set(describeSandbox(own), own);
    for await (const { containerId, attachments } of this.#records()) {
      const here = attachments.filter((own) => own.network === network || own.listName === listName);
      for (const own of here) keep({ containerId, ifName: own.interface });
    }
    const containerIds = new Set(listed.map(({ containerId }) => containerId));
    const cached = (await this.#parts.tools.cni.cache?.list())?.records ?? [];
    for (const { networkName, containerId, ifName } of cached) {
      if (networkName === listName && containerIds.has(containerId)) keep({ containerId, ifName });
    }
    return [...valid.values()];
  }

  async #collectOne(
    invocation: CniInvocation,
    network: string,
    list: NetworkList,
    listed: readonly ValidAttachment[],
    directories: readonly string[],
    parent: AbortSignal,
  ): Promise<string | undefined> {
    const { tools, settings: readSettings, turns } = this.#parts;
    const settings = readSettings();
    const deadline = Deadline.after(perNetworkMs);
    using signal = deadline.signal(parent);
    const context = { network, pod: undefined, requestId: invocation.requestId };
    const limitMs = pluginLimitMs(settings, network, list.name);
    const root = settings.root === undefined ? {} : { root: settings.root };
    try {
      await turns.aloneOnNetwork(network, signal, async () =>
        collectGarbageNetworkList(
          observedRuntime(tools, context),
          list,
          await this.#validOn(network, list.name, listed),
          { searchPath: directories, ...root },
          { signal, pluginTimeoutMs: () => Math.min(limitMs, deadline.remainingMs()) },
          { deleteStale: false },
        ),
      );
      return undefined;
    } catch (error) {
      return `network "${network}": GC failed: ${(error as CniError).message}`;
    }
  }
}

/** The runtime's own list; elements that are none are a wrong configuration. */
function readValidAttachments(text: string | undefined): readonly ValidAttachment[] {
  if (text === undefined) return [];
  const elements = text.trim().startsWith("[") ? parseRawArray(text) : [];
  return elements.map((element, index) => {
    const value: unknown = JSON.parse(element);
    if (isAttachment(value)) return { containerId: value.containerID, ifName: value.ifname };
    throw new Failure(
      "invalid-configuration",
      `cni.dev/valid-attachments[${index}]: must be an object with containerID and ifname`,
    );
  });
}

function isAttachment(value: unknown): value is { containerID: string; ifname: string } {
  if (typeof value !== "object" || value === null) return false;
  const { containerID, ifname } = value as Record<string, unknown>;
  return typeof containerID === "string" && typeof ifname === "string";
}
