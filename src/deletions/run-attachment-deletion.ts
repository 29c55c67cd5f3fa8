import { type DelegateTools, observedRuntime } from "../attachments/delegate-runtime.ts";
import { parseRecordedList } from "../attachments/recorded-list.ts";
import { isTimeout } from "../attachments/request-failure.ts";
import type { PodReference } from "../attachments/sandbox.ts";
import type { AttachmentRecord, PluginErrorFacts } from "../attachments/sandbox-record.ts";
import { CniCode, type CniResult, deletePlugins, type NetworkList, parseResult } from "../cni/index.ts";
import type { Deadline } from "../foundation/deadline.ts";
import type { PluginOutcome } from "./attachment-outcome.ts";
import { fenceList } from "./fenced-list.ts";
import type { PluginFences } from "./resource-fence.ts";

/** Time kept for writing down and answering, whatever the plugins do. */
const keptForSettlingMs = 2000;

export interface AttachmentDeletionRequest {
  readonly containerId: string;
  /** As the fence lets it through; empty: the plugins get no namespace. */
  readonly netns: string;
  readonly attachment: AttachmentRecord;
  readonly fences: PluginFences;
  readonly pod: PodReference | undefined;
  readonly requestId: string;
  /** All of the request. */
  readonly deadline: Deadline;
  /** Plugins that run after this attachment's, in attachments that follow. */
  readonly pluginsAfter: number;
  /** One plugin's own limit. */
  readonly pluginTimeoutMs: number;
  readonly signal?: AbortSignal;
  /** Called as each plugin's DEL has succeeded. */
  readonly onDeleted?: (pluginIndex: number) => void;
}

/**
 * Runs the DEL of each plugin that still owes one, last first, from the record alone: exact configuration, arguments
 * and directories of ADD, with its result as prevResult. Never rejects: every failure is an outcome.
 */
export async function runAttachmentDeletion(
  tools: DelegateTools,
  request: AttachmentDeletionRequest,
): Promise<readonly PluginOutcome[]> {
  const { attachment, deadline, pluginsAfter, pluginTimeoutMs, signal } = request;
  const written = readList(attachment);
  if (!("plugins" in written))
    return [{ index: 0, plugin: "?", kind: "failed", error: written, timedOut: false }];
  const { list, run: only, stopped } = fenceList(written, owedIndexes(attachment), request.fences);
  const context = { network: attachment.network, pod: request.pod, requestId: request.requestId };
  const runtime = observedRuntime(tools, context);
  const prevResult = readResult(attachment);
  const report = await deletePlugins(
    {
      ...runtime,
      onPluginRun: (run) => {
        runtime.onPluginRun?.(run);
        if (run.outcome.kind === "exited" && run.outcome.exitCode === 0) request.onDeleted?.(run.index);
      },
    },
    list,
    attachmentFor(request),
    {
      ...(prevResult === undefined ? {} : { prevResult }),
      only,
      limits: {
        ...(signal === undefined ? {} : { signal }),
        pluginTimeoutMs: (pluginsLeft) =>
          Math.min(
            pluginTimeoutMs,
            (deadline.remainingMs() - keptForSettlingMs) / (pluginsLeft + pluginsAfter),
          ),
      },
    },
  );
  const outcomes = report.outcomes.map(({ index, plugin, kind, error }): PluginOutcome => {
    if (kind === "deleted") return { index, plugin, kind };
    const facts = factsOf(plugin, error);
    return kind === "failed"
      ? { index, plugin, kind, error: facts, timedOut: isTimeout(error) }
      : { index, plugin, kind, error: facts };
  });
  return [...outcomes, ...stopped];
}

/** The outcome of an attachment none of whose plugins was run; `why` where no earlier error is known. */
export function untriedPlugins(attachment: AttachmentRecord, why: string): readonly PluginOutcome[] {
  const plugins = owedPlugins(attachment);
  return owedIndexes(attachment).map((index, position) => {
    const plugin = plugins[position] ?? "?";
    const error = attachment.lastError ?? { plugin, code: CniCode.TryAgainLater, msg: why };
    return { index, plugin, kind: "not-tried", error };
  });
}

/** Indexes of the plugins whose DEL an attachment still owes, in list order. */
export function owedIndexes(attachment: AttachmentRecord): readonly number[] {
  if (attachment.owed !== undefined) return attachment.owed;
  const list = readList(attachment);
  return "plugins" in list ? list.plugins.map((_, index) => index) : [0];
}

/** Types of the plugins whose DEL an attachment still owes, in list order. */
export function owedPlugins(attachment: AttachmentRecord): readonly string[] {
  const list = readList(attachment);
  if (!("plugins" in list)) return ["?"];
  return list.plugins
    .filter((_, index) => attachment.owed?.includes(index) ?? true)
    .map((plugin) => plugin.type);
}

function attachmentFor({ containerId, netns, attachment }: AttachmentDeletionRequest) {
  return {
    containerId,
    netns,
    ifName: attachment.interface,
    args: attachment.args,
    capabilityArgs: attachment.capabilityArgs,
    searchPath: attachment.searchPath,
    ...(attachment.root === undefined ? {} : { root: attachment.root }),
  };
}

function readList(attachment: AttachmentRecord): NetworkList | PluginErrorFacts {
  try {
    return parseRecordedList(attachment.config);
  } catch (error) {
    const msg = `recorded configuration of network "${attachment.network}" cannot be used: ${describe(error)}`;
    return { plugin: "?", code: CniCode.InvalidNetworkConfig, msg };
  }
}

/** A result that cannot be read is as good as none: the plugins are called all the same. */
function readResult(attachment: AttachmentRecord): CniResult | undefined {
  if (attachment.result === undefined) return undefined;
  try {
    return parseResult(attachment.result, "");
  } catch {
    return undefined;
  }
}

function factsOf(
  plugin: string,
  error: { code: number; message: string; details?: string | undefined } | undefined,
) {
  const code = error === undefined || error.code === CniCode.Unknown ? 999 : error.code;
  const text =
    error?.details === undefined || error.details === ""
      ? error?.message
      : `${error.message}; ${error.details}`;
  return { plugin, code, msg: text ?? "not tried: the time was over" };
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
