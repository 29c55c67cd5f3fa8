import { carryAge } from "../attachments/age.ts";
import type { DelegateTools } from "../attachments/delegate-runtime.ts";
import type { RetryOutcome } from "../attachments/instruments.ts";
import type { Namespaces, SandboxStore } from "../attachments/ports.ts";
import { isOlder } from "../attachments/sandbox.ts";
import type { PluginErrorFacts } from "../attachments/sandbox-record.ts";
import { pluginLimitMs, type ReadSettings } from "../attachments/settings.ts";
import { monotonicNs, nsToMs } from "../foundation/clock.ts";
import { Deadline } from "../foundation/deadline.ts";
import type { PluginOutcome, PolicyOf } from "./attachment-outcome.ts";
import type { Attempt, DeletionRecord } from "./deletion-record.ts";
import { isIgnored } from "./ignore-rules.ts";
import { fencedNamespace } from "./namespace-fence.ts";
import { hasDevice, type NamespacePins } from "./namespace-pins.ts";
import type { PluginFences, ResourceFence } from "./resource-fence.ts";
import { owedIndexes, runAttachmentDeletion, untriedPlugins } from "./run-attachment-deletion.ts";

export interface AttemptParts {
  readonly tools: DelegateTools;
  readonly settings: ReadSettings;
  readonly policyOf: PolicyOf;
  readonly namespaces: Namespaces;
  readonly fence: ResourceFence;
  readonly pins: NamespacePins;
  readonly store: SandboxStore;
}

/** What a try at an owed deletion came to; `record` is the deletion as it is now. */
export interface AttemptResult {
  readonly outcome: RetryOutcome;
  /** Which fence stood in the way of what; the closing reason where nothing else is left. */
  readonly fenced?: string;
  /** Settled without the namespace, so that nobody has seen the device come back. */
  readonly isUnverified?: true;
  readonly record: DeletionRecord;
}

/** How long an ADD that may get the device or address of a deletion is waited for. */
const patienceMs = 60_000;

/** How many tries a deletion remembers besides the first. */
const rememberedAttempts = 20;

/**
 * Tries an owed deletion once: fences first, then each plugin that is left. Nothing is written here.
 * @param signal ends the running plugin; what it was at stays owed
 */
export async function attemptDeletion(
  parts: AttemptParts,
  deletion: DeletionRecord,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const sinceNs = monotonicNs();
  const at = parts.tools.clock.nowText();
  const duration = () => Math.round(nsToMs(monotonicNs() - sinceNs));
  if (await isSuperseded(parts, deletion)) {
    return {
      outcome: "fenced",
      fenced: "a newer sandbox has this container and interface",
      record: remember(parts, deletion, { at, outcome: "fenced", durationMs: duration() }),
    };
  }
  const path = parts.pins.pathOf(deletion);
  const netns = await fencedNamespace(parts.namespaces, path, deletion.netnsIdentity);
  const { outcomes, fences } = await runFenced(parts, deletion, netns, signal);
  const fenced = describeFences(fences);
  const left = outcomes.filter((outcome) => isStillOwed(parts.policyOf, deletion, outcome));
  const attachment = { ...deletion.attachment, owed: left.map(({ index }) => index).sort((a, b) => a - b) };
  const reduced = { ...deletion, attachment };
  const [first] = left;
  if (first === undefined) {
    const isUnverified = netns === "" && fences.size === 0 && hasDevice(deletion.attachment);
    return { outcome: "settled", ...fenced, ...(isUnverified ? { isUnverified } : {}), record: reduced };
  }
  const error = first.kind === "deleted" ? undefined : first.error;
  const outcome = left.every(({ kind }) => kind === "fenced") ? "fenced" : "failed";
  const attempt: Attempt = {
    at,
    outcome: signal.aborted ? "interrupted" : outcome,
    durationMs: duration(),
    ...(error === undefined ? {} : { error }),
  };
  return { outcome, ...fenced, record: remember(parts, reduced, attempt, error) };
}

function describeFences(fences: PluginFences): { readonly fenced?: string } {
  const reasons = new Set([...fences.values()].map(({ reason }) => reason));
  return reasons.size === 0 ? {} : { fenced: [...reasons].join("; ") };
}

/** A newer ADD holds this container and interface: a plugin's DEL would take down what is in use now. */
async function isSuperseded(parts: AttemptParts, deletion: DeletionRecord): Promise<boolean> {
  const entries = await parts.store.loadContainer(deletion.sandbox);
  return entries.some((entry) => {
    if (entry.state === "done") return false;
    if (!isOlder(deletion.generation, entry.generation, parts.tools.clock.bootId)) return false;
    const name = deletion.attachment.interface;
    return entry.ifName === deletion.ifName || entry.attachments.some((own) => own.interface === name);
  });
}

interface FencedRun {
  readonly outcomes: readonly PluginOutcome[];
  readonly fences: PluginFences;
}

async function runFenced(
  parts: AttemptParts,
  deletion: DeletionRecord,
  netns: string,
  signal: AbortSignal,
): Promise<FencedRun> {
  const { attachment, sandbox: containerId, generation } = deletion;
  using patience = Deadline.after(patienceMs).signal(signal);
  try {
    return await parts.fence.guard({ containerId, generation }, attachment, patience, async (fences) => ({
      outcomes: await runPlugins(parts, deletion, netns, fences, signal),
      fences,
    }));
  } catch (error) {
    if (error !== patience.reason) throw error;
    const why = "an ADD that may get its device or address did not end in time";
    return { outcomes: untriedPlugins(attachment, why), fences: new Map() };
  }
}

async function runPlugins(
  parts: AttemptParts,
  deletion: DeletionRecord,
  netns: string,
  fences: PluginFences,
  signal: AbortSignal,
) {
  const { attachment } = deletion;
  const limitMs = pluginLimitMs(parts.settings(), attachment.network, attachment.listName);
  const plugins = owedIndexes(attachment).length;
  return await runAttachmentDeletion(parts.tools, {
    containerId: deletion.sandbox,
    netns,
    attachment,
    fences,
    pod: deletion.pod,
    requestId: `deletion-${deletion.id}`,
    // No caller waits: each plugin gets its own limit.
    deadline: Deadline.after((limitMs + 1000) * plugins + 4000),
    pluginsAfter: 0,
    pluginTimeoutMs: limitMs,
    signal,
  });
}

function isStillOwed(policyOf: PolicyOf, deletion: DeletionRecord, outcome: PluginOutcome): boolean {
  if (outcome.kind === "deleted") return false;
  if (outcome.kind !== "failed") return true;
  return !isIgnored(policyOf(deletion.attachment, outcome.index).policy.ignore, outcome.error);
}

function remember(
  parts: AttemptParts,
  deletion: DeletionRecord,
  attempt: Attempt,
  error?: PluginErrorFacts,
): DeletionRecord {
  const [first, ...later] = [...deletion.attempts, attempt];
  const attempts = first === undefined ? [] : [first, ...later.slice(-rememberedAttempts)];
  return {
    ...deletion,
    attempts,
    attemptCount: deletion.attemptCount + 1,
    age: carryAge(deletion.age, parts.tools.clock),
    ...(error === undefined ? {} : { lastError: error }),
  };
}
