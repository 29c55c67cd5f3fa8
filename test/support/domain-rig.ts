import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { ErrorPolicy } from "../../src/attachments/error-policy.ts";
import type { CniCommand, CniInvocation } from "../../src/attachments/invocation.ts";
import { networksAnnotation, policyAnnotation } from "../../src/attachments/network-selection.ts";
import { defaultErrorPolicy } from "../../src/attachments/parse-error-policy.ts";
import type { NetworkDefinition, Pod, PodSource } from "../../src/attachments/ports.ts";
import { RequestSlots, type SlotLimits } from "../../src/attachments/request-slots.ts";
import type { SandboxRecord } from "../../src/attachments/sandbox-record.ts";
import type { DomainSettings } from "../../src/attachments/settings.ts";
import { buildDomain, type Domain } from "../../src/daemon/build-use-cases.ts";
import { podPresence } from "../../src/daemon/pod-presence.ts";
import { recoverSandboxes } from "../../src/deletions/recover-sandboxes.ts";
import { stampPlugin } from "../../src/state/stamp-plugin.ts";
import { FakeBootClock } from "./fake-clock.ts";
import { FakeDeletionStore } from "./fake-deletion-store.ts";
import { FakeStrictMarkers } from "./fake-marker-store.ts";
import { FakeNamespaces } from "./fake-namespaces.ts";
import { FakePlugins } from "./fake-plugins.ts";
import { FakeResultCache } from "./fake-result-cache.ts";
import { FakeSandboxStore } from "./fake-sandbox-store.ts";
import { FakeSpoolSource } from "./fake-spool-store.ts";
import { FakeUpstreamFiles } from "./fake-upstream-store.ts";
import { Lifeline } from "./lifeline.ts";
import { RecordingFlightRecorder, RecordingInstruments } from "./recording-instruments.ts";
import { RecordingLog } from "./recording-log.ts";
import { buildInvocation, type CallWishes, spooledEntry, spooledInvocation } from "./rig-requests.ts";
import { waitFor } from "./wait-for.ts";

export interface RigWishes {
  /** Keys of the daemon configuration beside those that every rig has. */
  readonly overlay?: Readonly<Record<string, unknown>>;
  readonly slots?: Partial<SlotLimits>;
  readonly timeouts?: Partial<DomainSettings["timeouts"]>;
  /** Plugin types beside `primary`, `alpha`, `beta`, `gamma`, `tuning`. */
  readonly plugins?: readonly string[];
}

/** Retries that come within some milliseconds. */
export const quickRetry = { initialMs: 5, maxMs: 20, giveUpAfterMs: 3_600_000 } as const;

export function policy(mode: ErrorPolicy["mode"], keys: Partial<ErrorPolicy> = {}): ErrorPolicy {
  return { ...defaultErrorPolicy, mode, retry: quickRetry, ...keys };
}

/**
 * A whole domain over ports in memory, put together by the daemon's own composition. A restart makes a new domain over
 * what is durable; the old one ends as by `kill -9`.
 */
export class DomainRig {
  readonly clock = new FakeBootClock();
  readonly sandboxes = new FakeSandboxStore();
  readonly deletions = new FakeDeletionStore();
  readonly spool = new FakeSpoolSource();
  readonly markers = new FakeStrictMarkers();
  readonly upstream = new FakeUpstreamFiles();
  readonly cache = new FakeResultCache();
  readonly namespaces = new FakeNamespaces();
  readonly instruments = new RecordingInstruments();
  readonly recorder = new RecordingFlightRecorder();
  readonly log = new RecordingLog();
  readonly plugins: FakePlugins;
  /** False: no source can tell that a pod is gone. */
  knowsAllPods = true;
  readonly pods = new Map<string, Pod>();
  readonly definitions = new Map<string, NetworkDefinition>();
  readonly namespaceAnnotations = new Map<string, Readonly<Record<string, string>>>();
  settings: DomainSettings;
  domain: Domain;
  life: Lifeline;
  readonly #slots: SlotLimits;

  constructor(plugins: FakePlugins, wishes: RigWishes = {}) {
    this.plugins = plugins;
    const overlay = {
      binDir: plugins.directory,
      confDir: plugins.directory,
      delegates: [list("primary-net", ["primary"])],
      ...wishes.overlay,
    };
    this.settings = {
      overlay: JSON.stringify(overlay),
      networks: {},
      timeouts: {
        ...{ addMs: 20_000, delMs: 20_000, checkMs: 5000, statusMs: 3000, gcMs: 20_000, pluginMs: 10_000 },
        ...wishes.timeouts,
      },
      pluginPath: [],
      statusPolicy: "retry",
      maxDeadLetters: 10_000,
      maxSpoolEntries: 10_000,
      collectLeftovers: { previousBoot: "delete", uncertain: "report" },
    };
    this.#slots = { concurrent: 16, reservedForDel: 2, waiting: 100, ...wishes.slots };
    this.life = new Lifeline();
    this.domain = this.#build();
  }

  /** Ends the daemon as `kill -9` does; nothing of it moves any more. */
  kill(): void {
    this.life.end();
    this.domain.strictWatch.stop();
    void this.domain.scheduler.stop();
  }

  /** A new daemon on what is durable. Resolves when it has taken up what it found. */
  async restart(): Promise<void> {
    this.kill();
    this.life = new Lifeline();
    this.domain = this.#build();
    await this.start();
  }

  /** What the daemon does in the background from its start on. */
  async start(): Promise<void> {
    const { store } = this.#ports();
    const { turns, deleteSandbox, strictWatch, ledger, spoolIntake, live } = this.domain;
    const { instruments, log } = this;
    const { signal } = new AbortController();
    await live.load(store);
    await ledger.load();
    await spoolIntake.start();
    await recoverSandboxes({ store, turns, deleteSandbox, strictWatch, instruments, log, signal });
  }

  async add(wishes: CallWishes = {}): Promise<string> {
    const { signal = new AbortController().signal } = wishes;
    return await this.domain.operations.add(this.invocation("ADD", wishes), signal);
  }

  async delete(wishes: CallWishes = {}): Promise<void> {
    await this.domain.operations.delete(this.invocation("DEL", wishes), new AbortController().signal);
  }

  async check(wishes: CallWishes = {}): Promise<void> {
    await this.domain.operations.check(this.invocation("CHECK", wishes), new AbortController().signal);
  }

  /** GC with these containers' `eth0` as still valid. */
  async collectGarbage(containerIds: readonly string[], wishes: CallWishes = {}): Promise<void> {
    const config = {
      cniVersion: "1.1.0",
      name: "multus",
      type: "multus-shim",
      "cni.dev/valid-attachments": containerIds.map((containerID) => ({ containerID, ifname: "eth0" })),
    };
    const invocation = this.invocation("GC", { config, containerId: "", ifName: "", ...wishes });
    await this.domain.operations.collectGarbage(invocation, new AbortController().signal);
  }

  /** Hot-plugs a network whose list is `config`. */
  async attach(ifName: string, config: object, wishes: CallWishes = {}): Promise<string> {
    const { signal = new AbortController().signal } = wishes;
    const invocation = this.invocation("ADD", { ifName, config, ...wishes });
    return await this.domain.operations.attachDelegate(invocation, {}, signal);
  }

  async detach(ifName: string, config: object, wishes: CallWishes = {}): Promise<void> {
    const invocation = this.invocation("DEL", { ifName, config, ...wishes });
    await this.domain.operations.detachDelegate(invocation, new AbortController().signal);
  }

  /** Puts a DEL into the spool, as a shim does that found no daemon. */
  spoolDelete(wishes: CallWishes & { readonly name?: string } = {}): void {
    this.spool.put(spooledEntry(this.invocation("DEL", wishes), wishes.name));
  }

  invocation(command: CniCommand, wishes: CallWishes = {}): CniInvocation {
    return buildInvocation(this.clock, command, wishes);
  }

  /** A pod of namespace `default` with that networks annotation. */
  pod(name: string, networks: string, annotations: Readonly<Record<string, string>> = {}): void {
    this.pods.set(`default/${name}`, {
      namespace: "default",
      name,
      uid: `uid-${name}`,
      annotations: { ...(networks === "" ? {} : { [networksAnnotation]: networks }), ...annotations },
      isStatic: false,
    });
  }

  /** A definition in namespace `default` (or as in `namespace/name`) that has `config`, an object or exact text. */
  define(key: string, config: object | string, policyText?: string): void {
    const [namespace, name] = key.includes("/") ? key.split("/") : ["default", key];
    this.definitions.set(`${namespace}/${name}`, {
      namespace: namespace ?? "",
      name: name ?? "",
      annotations: policyText === undefined ? {} : { [policyAnnotation]: policyText },
      config: typeof config === "string" ? config : JSON.stringify(config),
    });
  }

  /** Definitions `alpha`, `beta` and `gamma` with one plugin of that name each, and pod `p1` that wants alpha and beta. */
  standardNetworks(): void {
    for (const name of ["alpha", "beta", "gamma"]) this.define(name, list(`${name}-net`, [name]));
    this.pod("p1", "alpha,beta");
  }

  /** Sets the operator's policy of a network. */
  setPolicy(network: string, delErrorPolicy: ErrorPolicy): void {
    this.settings = {
      ...this.settings,
      networks: { ...this.settings.networks, [network]: { delErrorPolicy } },
    };
  }

  setPolicies(mode: ErrorPolicy["mode"], keys: Partial<ErrorPolicy> = {}): void {
    for (const network of ["primary-net", "default/alpha", "default/beta", "default/gamma"]) {
      this.setPolicy(network, policy(mode, keys));
    }
  }

  record(containerId = "c1", ifName = "eth0"): SandboxRecord | undefined {
    const found = this.sandboxes
      .entries()
      .find((entry) => entry.containerId === containerId && entry.ifName === ifName);
    return found === undefined || found.state === "done" ? undefined : found;
  }

  /** `network/owed plugin indexes` of all owed deletions. */
  owed(): readonly string[] {
    return this.deletions
      .records()
      .map(({ attachment, state }) => `${attachment.network} [${attachment.owed?.join(",") ?? ""}] ${state}`)
      .sort();
  }

  async untilNothingOwed(): Promise<void> {
    await waitFor("nothing is owed", () => this.deletions.records().length === 0, 5000);
  }

  #ports() {
    return {
      store: this.life.tie("sandboxes", this.sandboxes),
      deletionStore: this.life.tie("deletions", this.deletions),
      spool: this.life.tie("spool", this.spool),
      strictMarkers: this.life.tie("markers", this.markers),
      upstream: this.life.tie("upstream", this.upstream),
      cache: this.life.tie("cache", this.cache),
    };
  }

  #podSource(): PodSource {
    return { findPod: async ({ namespace, name }) => this.pods.get(`${namespace}/${name}`) };
  }

  #build(): Domain {
    const ports = this.#ports();
    const { instruments, recorder, clock, log } = this;
    return buildDomain({
      ...ports,
      tools: {
        cni: { executePlugin: this.plugins.executor(this.life), cache: ports.cache, baseEnv: {} },
        instruments,
        recorder,
        clock,
      },
      settings: () => this.settings,
      pods: this.#podSource(),
      sources: {
        definitions: {
          findDefinition: async (namespace, name) => this.definitions.get(`${namespace}/${name}`),
        },
        namespaces: { findNamespaceAnnotations: async (name) => this.namespaceAnnotations.get(name) ?? {} },
      },
      namespaces: this.namespaces,
      slots: new RequestSlots(this.#slots, instruments),
      toInvocation: (entry) => spooledInvocation(this.clock, entry),
      stampPlugin,
      podPresence: podPresence(this.#podSource(), () => this.knowsAllPods),
      leftovers: { graceMs: 0 },
      storageProblem: () => undefined,
      log,
    });
  }
}

/** A rig with namespaces of `c1` and `c2` and quick retries; its files go when the test ends. */
export async function useDomainRig(wishes: RigWishes = {}): Promise<DomainRig> {
  const directory = await mkdtemp(join(tmpdir(), "multusd-rig-"));
  const plugins = new FakePlugins(directory);
  await plugins.install(["primary", "alpha", "beta", "gamma", "tuning", ...(wishes.plugins ?? [])]);
  const rig = new DomainRig(plugins, {
    ...wishes,
    overlay: { delErrorPolicy: quickDeferred, ...wishes.overlay },
  });
  rig.namespaces.make("/run/netns/c1");
  rig.namespaces.make("/run/netns/c2");
  onTestFinished(async () => {
    rig.kill();
    await rm(directory, { recursive: true, force: true });
  });
  return rig;
}

const quickDeferred = { mode: "deferred", retry: { initial: "5ms", max: "20ms", giveUpAfter: "1h" } };

/** A configuration list whose plugins have nothing but their type. */
export function list(name: string, types: readonly string[], keys: object = {}): object {
  return { cniVersion: "1.0.0", name, plugins: types.map((type) => ({ type })), ...keys };
}
