import type { NetworkList } from "../configuration/network-list.ts";
import { asCniError, type CniError } from "../errors/cni-error.ts";
import { PluginFailedError } from "../errors/plugin-errors.ts";
import type { Attachment, CniRuntime, RunLimits } from "../plugins/cni-runtime.ts";
import { runPlugin } from "../plugins/run-plugin.ts";
import type { CniResult } from "../results/cni-result.ts";
import { versionReaches } from "../results/cni-version.ts";
import { lastFirst } from "./delete-network-list.ts";
import { attachmentTask, type ListedPlugin } from "./list-task.ts";
import { convertForDelete, type PreviousResult, prevResultVersion } from "./previous-result.ts";

export interface DeletePluginsOptions {
  /** Final result of ADD, in any version; absent: plugins get none. */
  readonly prevResult?: CniResult;
  /** Indexes of the plugins whose DEL is owed; absent: all. Indexes that the list does not have are skipped. */
  readonly only?: readonly number[];
  readonly limits: RunLimits;
}

/** What became of one plugin's DEL. */
export interface PluginDeletion {
  /** In the list. */
  readonly index: number;
  /** The plugin's `type`. */
  readonly plugin: string;
  /** `not-tried`: it was not started, since no time was left or the call was cancelled, or its executor was lost. */
  readonly kind: "deleted" | "failed" | "not-tried";
  /** Of `failed` and `not-tried`. */
  readonly error?: CniError;
  readonly seconds: number;
}

export interface DeleteReport {
  /** In the order of DEL: last plugin first. */
  readonly outcomes: readonly PluginDeletion[];
  /** Why plugins got no prevResult although one was given. */
  readonly prevResultProblem?: string;
}

/**
 * Runs DEL for the whole list, last plugin first, whatever fails on the way; what is not `deleted` in the report is
 * still owed, and can be run again by `only`. The caller brings prevResult: no cache is read and none removed.
 * Nothing of the list is validated. Never rejects for a plugin.
 */
export async function deletePlugins(
  cni: CniRuntime,
  list: NetworkList,
  attachment: Attachment,
  options: DeletePluginsOptions,
): Promise<DeleteReport> {
  const { only, limits } = options;
  const owed = lastFirst(list).filter(({ index }) => only?.includes(index) ?? true);
  const previous = choosePrevResult(list, options.prevResult);
  const outcomes: PluginDeletion[] = [];
  for (const [position, listed] of owed.entries()) {
    const left = owed.length - position;
    outcomes.push(await deletePlugin(cni, list, attachment, listed, previous.result, left, limits));
  }
  return { outcomes, ...(previous.problem === undefined ? {} : { prevResultProblem: previous.problem }) };
}

function choosePrevResult(list: NetworkList, result: CniResult | undefined): PreviousResult {
  if (result === undefined || !versionReaches(list.cniVersion, prevResultVersion)) return {};
  return convertForDelete(result, list);
}

async function deletePlugin(
  cni: CniRuntime,
  list: NetworkList,
  attachment: Attachment,
  listed: ListedPlugin,
  prevResult: CniResult | undefined,
  pluginsLeft: number,
  limits: RunLimits,
): Promise<PluginDeletion> {
  const startedMs = performance.now();
  const about = { index: listed.index, plugin: listed.plugin.type };
  const seconds = () => (performance.now() - startedMs) / 1000;
  try {
    const task = attachmentTask(cni, list, attachment, "DEL", listed, prevResult, pluginsLeft);
    await runPlugin(cni, task, limits);
    return { ...about, kind: "deleted", seconds: seconds() };
  } catch (cause) {
    const error = asCniError(cause);
    return { ...about, kind: wasTried(error) ? "failed" : "not-tried", error, seconds: seconds() };
  }
}

/**
 * A binary that cannot be found or started is a failure; time and cancellation are nothing the plugin did, and neither
 * is the loss of what ran it: whoever settles for one attempt would give up what no plugin has refused.
 */
function wasTried(error: CniError): boolean {
  if (!(error instanceof PluginFailedError)) return true;
  if (error.kind === "executor-lost") return false;
  if (error.started) return true;
  return error.kind === "not-started";
}
