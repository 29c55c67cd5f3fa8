import { buildDelegates, searchPath } from "../attachments/build-delegates.ts";
import {
  chooseClusterNetworks,
  chooseNetworks,
  type NetworkSources,
} from "../attachments/choose-networks.ts";
import { delegateArgs } from "../attachments/delegate.ts";
import type { ResolvedPolicy } from "../attachments/error-policy.ts";
import { podReferenceOf } from "../attachments/find-pod.ts";
import type { Log } from "../attachments/instruments.ts";
import type { CniInvocation } from "../attachments/invocation.ts";
import { type MultusConfiguration, readMultusConfiguration } from "../attachments/multus-configuration.ts";
import { defaultErrorPolicy } from "../attachments/parse-error-policy.ts";
import type {
  BootClock,
  Namespaces,
  Pod,
  PodSource,
  SandboxStore,
  UpstreamFiles,
} from "../attachments/ports.ts";
import { resolvePolicy } from "../attachments/resolve-policy.ts";
import { attachmentOf } from "../attachments/sandbox-intent.ts";
import type { AttachmentRecord, SandboxRecord } from "../attachments/sandbox-record.ts";
import type { DomainSettings, ReadSettings } from "../attachments/settings.ts";
import {
  type CacheRecord,
  type NetworkList,
  parseNetworkListOrPlugin,
  printResult,
  type ResultCache,
} from "../cni/index.ts";
import { Deadline } from "../foundation/deadline.ts";

export interface RebuildParts {
  readonly settings: ReadSettings;
  readonly pods: PodSource;
  readonly sources: NetworkSources;
  readonly store: SandboxStore;
  readonly upstream: UpstreamFiles;
  readonly cache: ResultCache;
  readonly namespaces: Namespaces;
  readonly clock: BootClock;
  readonly log: Log;
}

/** A DEL must not wait long for what only makes it better. */
const sourceTimeoutMs = 2000;

/**
 * Finds out what a sandbox without a readable record may have: upstream's scratch file, libcni's cache files, the
 * pod's annotations, the primary network; united by interface. Best effort: a source that fails is logged and left out.
 */
export class RebuildSandbox {
  readonly #parts: RebuildParts;

  constructor(parts: RebuildParts) {
    this.#parts = parts;
  }

  async rebuild(invocation: CniInvocation): Promise<SandboxRecord> {
    const { clock, namespaces, settings: readSettings } = this.#parts;
    const settings = readSettings();
    const cached = await this.#attempt(invocation, "result cache", () => this.#readCache(invocation));
    const byInterface = new Map<string, AttachmentRecord>();
    const add = (attachments: readonly AttachmentRecord[] | undefined) => {
      for (const attachment of attachments ?? []) {
        if (!byInterface.has(attachment.interface)) byInterface.set(attachment.interface, attachment);
      }
    };
    const known = cached ?? [];
    add(
      await this.#attempt(invocation, "scratch file", () => this.#fromScratch(invocation, settings, known)),
    );
    add(primaryFirst(known, invocation).flatMap((record) => this.#fromCache(record, settings, invocation)));
    add(
      await this.#attempt(invocation, "configured networks", () =>
        this.#fromConfiguration(invocation, settings),
      ),
    );
    // The runtime says that this is the sandbox's namespace now; later tries hold it to that.
    const identity = await this.#attempt(invocation, "namespace", () =>
      namespaces.identify(invocation.netns),
    );
    const pod = podReferenceOf(invocation.args);
    return {
      containerId: invocation.containerId,
      ifName: invocation.ifName,
      state: "deleting",
      generation: invocation.generation,
      ...(pod === undefined ? {} : { pod }),
      netns: invocation.netns,
      ...(identity === undefined ? {} : { netnsIdentity: identity }),
      created: clock.nowText(),
      attachments: [...byInterface.values()],
    };
  }

  async #attempt<T>(
    invocation: CniInvocation,
    source: string,
    read: () => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await read();
    } catch (err) {
      this.#parts.log.warn(
        { err, containerID: invocation.containerId, source },
        "source of a lost record could not be read",
      );
      return undefined;
    }
  }

  async #readCache(invocation: CniInvocation): Promise<readonly CacheRecord[]> {
    const { records, corrupt } = await this.#parts.cache.list(invocation.containerId);
    for (const { file } of corrupt) await this.#parts.upstream.quarantineCache(file);
    return records;
  }

  async #fromScratch(invocation: CniInvocation, settings: DomainSettings, cached: readonly CacheRecord[]) {
    const scratch = await this.#parts.upstream.readScratch(invocation.containerId);
    if (scratch.kind !== "delegates") return [];
    return scratch.delegates.flatMap((delegate, index): AttachmentRecord[] => {
      const list = this.#readList(invocation, delegate.config);
      if (list === undefined) return [];
      const interfaceName = delegate.interfaceRequest ?? (index === 0 ? invocation.ifName : `net${index}`);
      const own = cached.find(
        (record) => record.ifName === interfaceName && record.networkName === list.name,
      );
      const selection = {
        namespace: "",
        name: "",
        ...(delegate.macRequest === undefined ? {} : { mac: delegate.macRequest }),
        ...(delegate.ipRequest === undefined ? {} : { ips: delegate.ipRequest }),
      };
      return [
        {
          network: delegate.name === "" ? list.name : delegate.name,
          listName: list.name,
          interface: interfaceName,
          config: delegate.config,
          args: own?.args ?? delegateArgs(invocation, selection),
          ...this.#common(own, settings, invocation),
          ...(delegate.deviceId === undefined ? {} : { deviceId: delegate.deviceId }),
          policy: this.#policy(settings, delegate.name, list.name, invocation),
        },
      ];
    });
  }

  /** One delegate that cannot be read must not hide the others. */
  #readList(invocation: CniInvocation, text: string): NetworkList | undefined {
    try {
      return parseNetworkListOrPlugin(text);
    } catch (err) {
      const message = "delegate of a scratch file could not be read";
      this.#parts.log.warn({ err, containerID: invocation.containerId }, message);
      return undefined;
    }
  }

  /** Nothing for a record of libcni v0.7: it does not say which plugins there were. */
  #fromCache(
    record: CacheRecord,
    settings: DomainSettings,
    invocation: CniInvocation,
  ): readonly AttachmentRecord[] {
    const { config, networkName } = record;
    if (config === undefined) return [];
    return [
      {
        network: networkName,
        listName: networkName,
        interface: record.ifName,
        config,
        args: record.args,
        ...this.#common(record, settings, invocation),
        policy: this.#policy(settings, networkName, networkName, invocation),
      },
    ];
  }

  #common(cached: CacheRecord | undefined, settings: DomainSettings, invocation: CniInvocation) {
    const configuration = this.#configuration(invocation, settings);
    return {
      capabilityArgs: cached?.capabilityArgs ?? configuration?.runtimeConfig ?? {},
      searchPath: searchPath(configuration?.binDir ?? "/opt/cni/bin", settings.pluginPath, invocation.path),
      ...(settings.root === undefined ? {} : { root: settings.root }),
      ...(cached?.result === undefined ? {} : { result: printResult(cached.result) }),
      state: "deleting" as const,
      since: this.#parts.clock.nowText(),
    };
  }

  #configuration(invocation: CniInvocation, settings: DomainSettings): MultusConfiguration | undefined {
    try {
      return readMultusConfiguration(invocation.config, settings.overlay);
    } catch {
      // The caller's text may be anything here; the daemon's own keys are enough to find the plugins.
      return readMultusConfiguration("{}", settings.overlay);
    }
  }

  /** No place may refuse a DEL: what cannot be read is passed over. */
  #policy(
    settings: DomainSettings,
    network: string,
    listName: string,
    invocation: CniInvocation,
  ): ResolvedPolicy {
    const text = this.#configuration(invocation, settings)?.delErrorPolicy;
    try {
      return resolvePolicy(settings, network, listName, [
        { source: "multus-configuration", where: "multus configuration", text },
      ]);
    } catch {
      return { policy: defaultErrorPolicy, source: "default" };
    }
  }

  /** The pod's own networks only if it is surely this sandbox's: same UID, and no other sandbox of that pod here. */
  async #fromConfiguration(
    invocation: CniInvocation,
    settings: DomainSettings,
  ): Promise<readonly AttachmentRecord[]> {
    const configuration = this.#configuration(invocation, settings);
    if (configuration === undefined) return [];
    using limit = Deadline.after(sourceTimeoutMs).signal();
    const pod = await this.#attempt(invocation, "pod", () => this.#surePod(invocation, limit));
    const choice = { configuration, settings, pod };
    const wanted =
      pod === undefined
        ? undefined
        : await this.#attempt(invocation, "pod networks", () =>
            chooseNetworks(this.#parts.sources, choice, limit),
          );
    const networks =
      wanted ?? (await chooseClusterNetworks(this.#parts.sources, { ...choice, pod: undefined }, limit));
    const delegates = buildDelegates(networks, invocation, configuration, settings);
    return delegates.map((delegate) => ({
      ...attachmentOf(delegate, this.#parts.clock),
      state: "deleting" as const,
    }));
  }

  async #surePod(invocation: CniInvocation, signal: AbortSignal): Promise<Pod | undefined> {
    const reference = podReferenceOf(invocation.args);
    if (reference?.uid === undefined) return undefined;
    const pod = await this.#parts.pods.findPod(reference, signal);
    if (pod?.uid !== reference.uid) return undefined;
    for await (const stored of this.#parts.store.list()) {
      if (stored.kind !== "entry" || stored.entry.state === "done") continue;
      if (stored.entry.containerId !== invocation.containerId && stored.entry.pod?.uid === reference.uid)
        return undefined;
    }
    return pod;
  }
}

/** ADD order is not recorded in the cache: the primary is known by its interface, the others go by name. */
function primaryFirst(records: readonly CacheRecord[], { ifName }: CniInvocation): readonly CacheRecord[] {
  const rank = (record: CacheRecord) => (record.ifName === ifName ? 0 : 1);
  return [...records].sort(
    (a, b) => rank(a) - rank(b) || a.ifName.localeCompare(b.ifName, "en", { numeric: true }),
  );
}
