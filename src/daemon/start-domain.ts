import type { DelegateTools } from "../attachments/delegate-runtime.ts";
import type { FlightRecorder } from "../attachments/flight-recorder.ts";
import type { Instruments, Log } from "../attachments/instruments.ts";
import type { BootClock } from "../attachments/ports.ts";
import { RequestSlots } from "../attachments/request-slots.ts";
import type { ReadSettings } from "../attachments/settings.ts";
import { baseEnvironment } from "../cni/index.ts";
import type { DaemonConfig } from "../config/daemon-config.ts";
import { recoverSandboxes } from "../deletions/recover-sandboxes.ts";
import type { StopStack } from "../foundation/stop-stack.ts";
import type { PluginHost } from "../host/plugin-host.ts";
import { stampPlugin } from "../state/stamp-plugin.ts";
import type { StateDirectory } from "../state/state-directory.ts";
import { sweepMarks } from "../state/sweep-marks.ts";
import { buildDomain, type Domain } from "./build-use-cases.ts";
import type { PodsAndNetworks } from "./open-manifests.ts";
import { openState } from "./open-state.ts";
import { podPresence } from "./pod-presence.ts";
import { slotLimits } from "./request-limits.ts";
import { spooledInvocation } from "./spooled-invocation.ts";
import type { StorageWatch } from "./storage-watch.ts";

export interface StartDomainParts {
  readonly config: DaemonConfig;
  readonly settings: ReadSettings;
  readonly directory: StateDirectory;
  readonly host: PluginHost;
  readonly manifests: PodsAndNetworks;
  readonly recorder: FlightRecorder;
  readonly instruments: Instruments;
  readonly clock: BootClock;
  readonly storage: StorageWatch;
  readonly log: Log;
  readonly running: StopStack;
}

const markSweepIntervalMs = 3_600_000;

/** Opens the durable state, puts the domain on it, and takes up what earlier daemons left; none of it is waited for. */
export async function startDomain(parts: StartDomainParts): Promise<Domain> {
  const { config, clock, instruments, log, running, host, manifests } = parts;
  const state = running.push(await openState(parts), { name: "state", timeoutMs: 2000 });
  const tools: DelegateTools = {
    cni: {
      executePlugin: host.executePlugin,
      cache: state.cache,
      baseEnv: baseEnvironment(process.env),
    },
    instruments,
    recorder: parts.recorder,
    clock,
  };
  const domain = buildDomain({
    ...state,
    tools,
    settings: parts.settings,
    pods: manifests,
    sources: { definitions: manifests, namespaces: manifests },
    namespaces: host.namespaces,
    slots: new RequestSlots(await slotLimits(config.limits), instruments),
    toInvocation: (entry) => spooledInvocation(entry, clock),
    stampPlugin,
    podPresence: podPresence(
      manifests,
      () => config.manifestDir !== undefined && manifests.gap() === undefined,
    ),
    storageProblem: () => parts.storage.problem(),
    log,
  });
  startBackgroundWork(parts, domain, state);
  return domain;
}

function startBackgroundWork(
  { clock, instruments, log, running, storage }: StartDomainParts,
  domain: Domain,
  { store }: Awaited<ReturnType<typeof openState>>,
): void {
  const { turns, deleteSandbox, strictWatch, scheduler, spoolIntake, ledger, live } = domain;
  const stopping = new AbortController();
  const { signal } = stopping;
  const sweep = () =>
    sweepMarks({ store, clock, inTurn: (id, task) => turns.run(id, task), signal }).catch(unlessStopping);
  const unlessStopping = (err: unknown) => {
    if (!signal.aborted) log.error({ err }, "background work broke off");
  };
  const sweeper = setInterval(() => void sweep(), markSweepIntervalMs);
  sweeper.unref();
  const recover = () =>
    recoverSandboxes({ store, turns, deleteSandbox, strictWatch, instruments, log, signal }).catch(
      unlessStopping,
    );
  let recovered = recover();
  // What an undo could not write down while the disk was full still stands as it was.
  storage.whenRecovered(() => {
    recovered = recovered.then(recover);
  });
  const collecting = recovered.then(() => domain.leftovers.run(signal));
  const loaded = Promise.all([
    ledger.load().catch(unlessStopping),
    live.load(store, signal).catch(unlessStopping),
  ]);
  const taking = spoolIntake.start().catch(unlessStopping);
  running.push(
    {
      stop: async () => {
        stopping.abort();
        clearInterval(sweeper);
        strictWatch.stop();
        await Promise.all([loaded, taking]);
        await Promise.all([scheduler.stop(), spoolIntake.stop(), recovered, collecting]);
      },
    },
    { name: "background work", timeoutMs: 3000 },
  );
}
