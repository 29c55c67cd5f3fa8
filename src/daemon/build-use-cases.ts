import { AddSandbox, type AddUndo } from "../attachments/add-sandbox.ts";
import { CheckSandbox } from "../attachments/check-sandbox.ts";
import type { NetworkSources } from "../attachments/choose-networks.ts";
import type { DelegateTools } from "../attachments/delegate-runtime.ts";
import type { Log } from "../attachments/instruments.ts";
import type { CniInvocation, CniOperations } from "../attachments/invocation.ts";
import { LiveAttachments, NotedSandboxStore } from "../attachments/live-attachments.ts";
import type { Namespaces, PodSource, SandboxStore, UpstreamFiles } from "../attachments/ports.ts";
import { ReportStatus } from "../attachments/report-status.ts";
import type { RequestSlots } from "../attachments/request-slots.ts";
import { ResourceLocks } from "../attachments/resource-locks.ts";
import type { SandboxEntry } from "../attachments/sandbox-record.ts";
import { SandboxTurns } from "../attachments/sandbox-turns.ts";
import { type ReadSettings, settingsOfNetwork } from "../attachments/settings.ts";
import type { OperatorQueries } from "../attachments/views.ts";
import type { ResultCache } from "../cni/index.ts";
import { assessLeftover, type PodPresence } from "../deletions/assess-leftover.ts";
import { AttachmentFiles } from "../deletions/attachment-files.ts";
import { CollectGarbage } from "../deletions/collect-garbage.ts";
import { DeleteSandbox } from "../deletions/delete-sandbox.ts";
import { attemptDeletion } from "../deletions/deletion-attempt.ts";
import { DeletionLedger } from "../deletions/deletion-ledger.ts";
import { DeletionScheduler } from "../deletions/deletion-scheduler.ts";
import { HotPlug } from "../deletions/hot-plug.ts";
import { HotUnplug } from "../deletions/hot-unplug.ts";
import { LeftoverCollector } from "../deletions/leftover-collector.ts";
import { NamespacePins } from "../deletions/namespace-pins.ts";
import { type StampPlugin, surroundings } from "../deletions/network-surroundings.ts";
import { createOperations } from "../deletions/operations.ts";
import { OperatorDesk } from "../deletions/operator-desk.ts";
import { OwedResources } from "../deletions/owed-resources.ts";
import { policyInForce } from "../deletions/policy-in-force.ts";
import type { DeletionStore, SpooledDeletion, SpoolSource, StrictMarkers } from "../deletions/ports.ts";
import { RebuildSandbox } from "../deletions/rebuild-sandbox.ts";
import { ResourceFence } from "../deletions/resource-fence.ts";
import { SpoolIntake } from "../deletions/spool-intake.ts";
import { attemptSpooled } from "../deletions/spooled-dead-letter.ts";
import { StrictWatch } from "../deletions/strict-watch.ts";
import { TakeDown } from "../deletions/take-down.ts";
import { failureCode } from "../server/to-error-reply.ts";

/** The adapters and settings that the domain is put together from. */
export interface DomainParts {
  readonly tools: DelegateTools;
  readonly settings: ReadSettings;
  readonly pods: PodSource;
  readonly sources: NetworkSources;
  readonly namespaces: Namespaces;
  readonly store: SandboxStore;
  readonly deletionStore: DeletionStore;
  readonly spool: SpoolSource;
  readonly strictMarkers: StrictMarkers;
  readonly upstream: UpstreamFiles;
  readonly cache: ResultCache;
  readonly slots: RequestSlots;
  readonly toInvocation: (entry: SpooledDeletion) => CniInvocation | undefined;
  readonly stampPlugin: StampPlugin;
  readonly podPresence: PodPresence;
  /** Replaces the grace of leftovers. */
  readonly leftovers?: { readonly graceMs: number };
  readonly storageProblem: () => string | undefined;
  readonly log: Log;
}

/** The domain, put together but with nothing running yet. */
export interface Domain {
  readonly operations: CniOperations;
  readonly desk: OperatorQueries;
  readonly turns: SandboxTurns;
  /** Knows what this daemon records; `load` tells it of earlier ones. */
  readonly live: LiveAttachments;
  readonly ledger: DeletionLedger;
  readonly scheduler: DeletionScheduler;
  readonly spoolIntake: SpoolIntake;
  readonly strictWatch: StrictWatch;
  readonly deleteSandbox: DeleteSandbox;
  readonly leftovers: LeftoverCollector;
}

export function buildDomain(given: DomainParts): Domain {
  const live = new LiveAttachments(given.tools.clock);
  const parts = {
    ...given,
    live,
    store: new NotedSandboxStore(given.store, live),
    locks: new ResourceLocks(),
  };
  const { tools, settings, store, namespaces, slots, strictMarkers, upstream, cache, log } = parts;
  const { instruments, recorder, clock } = tools;
  const turns = new SandboxTurns();
  const policyOf = policyInForce(settings);
  const files = new AttachmentFiles(cache, upstream, log);
  const ledger = new DeletionLedger({
    store: parts.deletionStore,
    instruments,
    clock,
    maxDeadLetters: () => settings().maxDeadLetters,
    log,
  });
  const pins = new NamespacePins(namespaces, settings, log);
  const fence = new ResourceFence(live, parts.locks);
  const takeDownParts = {
    tools,
    settings,
    policyOf,
    namespaces,
    fence,
    pins,
    store,
    ledger,
    files,
    strictMarkers,
    turns,
    log,
  };
  const takeDown = new TakeDown(takeDownParts);
  const strictWatch = new StrictWatch({ takeDown, store, turns, policyOf, clock, log });
  const rebuild = new RebuildSandbox({ ...parts, clock });
  const deleteSandbox = new DeleteSandbox({ ...takeDownParts, takeDown, slots, rebuild, strictWatch });
  const scheduler = new DeletionScheduler({
    ledger,
    attempt: async (deletion, signal) =>
      deletion.spooled !== undefined
        ? await attemptSpooled(deleteSandbox, parts.toInvocation, deletion, deletion.spooled, clock)
        : await attemptDeletion(
            { tools, settings, policyOf, namespaces, fence, pins, store },
            deletion,
            signal,
          ),
    removeFiles: async ({ id, sandbox, attachment }) => {
      await files.removeCaches(sandbox, [attachment]);
      await pins.release(id);
    },
    policyOf,
    slots,
    turns,
    instruments,
    recorder,
    clock,
    log,
    concurrencyOf: ({ attachment }) =>
      settingsOfNetwork(settings(), attachment.network, attachment.listName).concurrency,
    surroundingsOf: surroundings(settings, parts.stampPlugin),
    random: Math.random,
  });
  const { spool, toInvocation } = parts;
  const spoolIntake = new SpoolIntake({
    ...{ spool, deleteSandbox, ledger, toInvocation, instruments, clock, log },
    maxEntries: () => settings().maxSpoolEntries,
  });
  const owed = new OwedResources({ ledger, scheduler, settings, log });
  const undo = addUndo(deleteSandbox, spoolIntake, scheduler, owed);
  const useCases = {
    add: new AddSandbox({ ...parts, turns, undo, writeStatus: keepInRecord }),
    delete: deleteSandbox,
    check: new CheckSandbox({ tools, settings, store, turns, slots }),
    status: new ReportStatus({ ...parts, storageProblem: parts.storageProblem }),
    collectGarbage: new CollectGarbage({ ...parts, turns, deleteSandbox }),
    hotPlug: new HotPlug({ ...parts, turns, deleteSandbox, ...undo }),
    hotUnplug: new HotUnplug({ settings, store, turns, deleteSandbox }),
  };
  const assessParts = { namespaces, podPresence: parts.podPresence, settings, clock };
  const assess = (entry: SandboxEntry) => assessLeftover(assessParts, entry);
  return {
    operations: createOperations(useCases, instruments, failureCode),
    desk: new OperatorDesk({ store, ledger, scheduler, policyOf, recorder, instruments, clock, assess, log }),
    leftovers: new LeftoverCollector({
      ...assessParts,
      store,
      turns,
      deleteSandbox,
      log,
      ...parts.leftovers,
    }),
    turns,
    live,
    ledger,
    scheduler,
    spoolIntake,
    strictWatch,
    deleteSandbox,
  };
}

function addUndo(
  deleteSandbox: DeleteSandbox,
  spoolIntake: SpoolIntake,
  scheduler: DeletionScheduler,
  owed: OwedResources,
): AddUndo {
  return {
    settleDebts: async (invocation, signal) => {
      await spoolIntake.settleSandboxInTurn(invocation);
      await scheduler.settleSandbox(invocation.containerId, signal);
    },
    clearResources: async (attachments, signal) => await owed.clear(attachments, signal),
    undo: async (record, requestId) => await deleteSandbox.undo(record, requestId),
    undoUnrecorded: async (invocation) => await deleteSandbox.deleteSpooledInTurn(invocation),
  };
}

/** Without a cluster the network-status lives in the sandbox's record, where the ADD has put it. */
async function keepInRecord(): Promise<void> {}
