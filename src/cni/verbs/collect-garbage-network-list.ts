import type { CacheRecord } from "../cache/cache-record.ts";
import type { NetworkList } from "../configuration/network-list.ts";
import { asCniError, type CniError } from "../errors/cni-error.ts";
import { excerpt } from "../errors/excerpt.ts";
import { CombinedError, joinMessages, prefixed } from "../errors/verb-errors.ts";
import type { CniRuntime, PluginSearch, RunLimits } from "../plugins/cni-runtime.ts";
import type { ValidAttachment } from "../plugins/plugin-request.ts";
import { runPlugin } from "../plugins/run-plugin.ts";
import { versionReaches } from "../results/cni-version.ts";
import { deleteNetworkList } from "./delete-network-list.ts";
import { networkTask } from "./list-task.ts";

/** Lists below this version have neither GC nor STATUS. */
const gcVersion = "1.1.0";

export interface CollectGarbageOptions {
  /** First run DEL of this list for each of its cached attachments that is not valid. */
  readonly deleteStale: boolean;
}

/**
 * Frees what belongs to no valid attachment of the network: DEL for stale cached ones where asked for, with
 * what they were added with, and, from 1.1.0 on, GC for each plugin in list order. Everything is tried.
 * The caller must keep ADD and DEL of this network away meanwhile (SPEC.md §2 "GC").
 * @throws {CombinedError} that names every failure
 * @see libcni `GCNetworkList`
 */
export async function collectGarbageNetworkList(
  cni: CniRuntime,
  list: NetworkList,
  valid: readonly ValidAttachment[],
  search: PluginSearch,
  limits: RunLimits,
  options: CollectGarbageOptions,
): Promise<void> {
  if (list.disableGc) return;
  const errors = options.deleteStale ? await deleteStale(cni, list, valid, search, limits) : [];
  if (versionReaches(list.cniVersion, gcVersion))
    errors.push(...(await runPlugins(cni, list, valid, search, limits)));
  if (errors.length > 0) throw new CombinedError(joinMessages(errors), errors);
}

async function deleteStale(
  cni: CniRuntime,
  list: NetworkList,
  valid: readonly ValidAttachment[],
  search: PluginSearch,
  limits: RunLimits,
): Promise<CniError[]> {
  const errors: CniError[] = [];
  for (const record of await listStale(cni, list, valid, errors)) {
    const { containerId, netns, ifName, args, capabilityArgs } = record;
    try {
      await deleteNetworkList(
        cni,
        list,
        { ...search, containerId, netns, ifName, args, capabilityArgs },
        limits,
      );
    } catch (error) {
      const what = `failed to delete stale attachment ${containerId} ${ifName}: `;
      errors.push(prefixed(what, asCniError(error)));
    }
  }
  return errors;
}

/** A cache that cannot be listed is an error beside the others: plugins get their GC all the same. */
async function listStale(
  cni: CniRuntime,
  list: NetworkList,
  valid: readonly ValidAttachment[],
  errors: CniError[],
): Promise<readonly CacheRecord[]> {
  try {
    const records = (await cni.cache?.list())?.records ?? [];
    return records.filter((record) => record.networkName === list.name && !isValid(record, valid));
  } catch (error) {
    errors.push(asCniError(error));
    return [];
  }
}

function isValid(record: CacheRecord, valid: readonly ValidAttachment[]): boolean {
  return valid.some(
    ({ containerId, ifName }) => containerId === record.containerId && ifName === record.ifName,
  );
}

async function runPlugins(
  cni: CniRuntime,
  list: NetworkList,
  valid: readonly ValidAttachment[],
  search: PluginSearch,
  limits: RunLimits,
): Promise<readonly CniError[]> {
  const errors: CniError[] = [];
  for (const [index, plugin] of list.plugins.entries()) {
    try {
      const task = networkTask(cni, list, search, "GC", { plugin, index }, { validAttachments: valid });
      await runPlugin(cni, task, limits);
    } catch (error) {
      errors.push(prefixed(`failed to GC plugin ${excerpt(plugin.type)}: `, asCniError(error)));
    }
  }
  return errors;
}
