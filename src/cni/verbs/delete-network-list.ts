import { cacheFileName } from "../cache/cache-file-name.ts";
import type { NetworkList } from "../configuration/network-list.ts";
import { ResultCacheError } from "../errors/cache-error.ts";
import { asCniError } from "../errors/cni-error.ts";
import { DeleteFailedError } from "../errors/verb-errors.ts";
import type { Attachment, CniRuntime, RunLimits } from "../plugins/cni-runtime.ts";
import { runPlugin } from "../plugins/run-plugin.ts";
import { compareVersions } from "../results/cni-version.ts";
import { attachmentTask, failedPlugin, type ListedPlugin } from "./list-task.ts";
import { cachedResultForDelete, prevResultVersion } from "./previous-result.ts";

/** What was wrong with the cache although all plugins succeeded: worth a line in the log. */
export interface DeleteSuccess {
  readonly cacheProblem?: string;
}

/**
 * Runs DEL for each plugin in reverse order with the cached result of ADD as prevResult (from 0.4.0 on), and
 * removes the cached result once all have succeeded. A cached result that is missing or corrupt means no prevResult.
 * @throws {DeleteFailedError} from the first plugin that fails; the others do not run, and the cached result stays
 * @throws {UnsupportedVersionError} if the list's version is none; nothing runs then
 * @throws {ResultCacheError} for a passing read error; nothing runs then
 * @throws {InvalidEnvironmentError} for names that make no file name of a cache; nothing runs then
 * @see SPEC.md §3 "Deleting an attachment"; libcni `DelNetworkList`
 */
export async function deleteNetworkList(
  cni: CniRuntime,
  list: NetworkList,
  attachment: Attachment,
  limits: RunLimits,
): Promise<DeleteSuccess> {
  // Not only where it is read: a DEL that has run must not fail at the end, and then at each repeat.
  if (cni.cache !== undefined) cacheFileName({ networkName: list.name, ...attachment });
  const hasPrevResult = compareVersions(list.cniVersion, prevResultVersion) >= 0;
  const previous = hasPrevResult ? await cachedResultForDelete(cni, list, attachment) : {};
  for (const listed of lastFirst(list)) {
    try {
      const task = attachmentTask(cni, list, attachment, "DEL", listed, previous.result, listed.index + 1);
      await runPlugin(cni, task, limits);
    } catch (error) {
      throw new DeleteFailedError(asCniError(error), failedPlugin(listed), previous.problem);
    }
  }
  const problems = [previous.problem, await removeCached(cni, list, attachment)].filter(
    (text) => text !== undefined,
  );
  return problems.length === 0 ? {} : { cacheProblem: problems.join("; ") };
}

/** The plugins of a list in the order of DEL. */
export function lastFirst(list: NetworkList): readonly ListedPlugin[] {
  return list.plugins.map((plugin, index) => ({ plugin, index })).reverse();
}

/** A file that cannot be removed makes no DEL fail: the attachment is gone, and a later DEL finds a stale prevResult at worst. */
async function removeCached(
  cni: CniRuntime,
  list: NetworkList,
  attachment: Attachment,
): Promise<string | undefined> {
  try {
    await cni.cache?.remove(list.name, attachment.containerId, attachment.ifName);
    return undefined;
  } catch (error) {
    if (!(error instanceof ResultCacheError)) throw error;
    return error.message;
  }
}
