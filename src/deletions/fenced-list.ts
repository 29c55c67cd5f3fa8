import { CniCode, type NetworkList } from "../cni/index.ts";
import type { PluginOutcome } from "./attachment-outcome.ts";
import type { PluginFences } from "./resource-fence.ts";

/** What of a list may run its DEL, and what may not. */
export interface FencedList {
  /** With the IPAM plugin in the place of each plugin whose device somebody else has. */
  readonly list: NetworkList;
  readonly run: readonly number[];
  readonly stopped: readonly PluginOutcome[];
}

/**
 * Splits what is owed of a list: a plugin whose device somebody else has by now keeps its hands off, while its IPAM
 * gets the same stdin, as the plugin would hand it on. What cannot be split does not run.
 */
export function fenceList(list: NetworkList, owed: readonly number[], fences: PluginFences): FencedList {
  if (fences.size === 0) return { list, run: owed, stopped: [] };
  const stopped: PluginOutcome[] = [];
  const plugins = list.plugins.map((plugin, index) => {
    const fence = fences.get(index);
    if (fence === undefined || !owed.includes(index)) return plugin;
    if (fence.kind === "device" && plugin.ipamType !== undefined) return { ...plugin, type: plugin.ipamType };
    const error = { plugin: plugin.type, code: CniCode.TryAgainLater, msg: `not run: ${fence.reason}` };
    stopped.push({ index, plugin: plugin.type, kind: "fenced", error });
    return plugin;
  });
  const run = owed.filter((index) => stopped.every((outcome) => outcome.index !== index));
  return { list: { ...list, plugins }, run, stopped };
}
