import type { NetworkList } from "../configuration/network-list.ts";
import type { CniRuntime, PluginSearch, RunLimits } from "../plugins/cni-runtime.ts";
import { runPlugin } from "../plugins/run-plugin.ts";
import { versionReaches } from "../results/cni-version.ts";
import { networkTask } from "./list-task.ts";

const statusVersion = "1.1.0";

/**
 * Asks each plugin in list order whether it can serve ADD. A list below 1.1.0 is a success without a run.
 * @throws {CniError} from the first plugin that fails, as it is, so that codes 50 and 51 can be read; later ones
 * do not run
 * @see SPEC.md §2 "STATUS"; libcni `GetStatusNetworkList`
 */
export async function statusNetworkList(
  cni: CniRuntime,
  list: NetworkList,
  search: PluginSearch,
  limits: RunLimits,
): Promise<void> {
  if (!versionReaches(list.cniVersion, statusVersion)) return;
  for (const [index, plugin] of list.plugins.entries()) {
    await runPlugin(cni, networkTask(cni, list, search, "STATUS", { plugin, index }, {}), limits);
  }
}
