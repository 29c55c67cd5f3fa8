import type { NetworkList } from "../configuration/network-list.ts";
import { CheckNotSupportedError } from "../errors/result-errors.ts";
import type { Attachment, CniRuntime, RunLimits } from "../plugins/cni-runtime.ts";
import { runPlugin } from "../plugins/run-plugin.ts";
import type { CniResult } from "../results/cni-result.ts";
import { compareVersions } from "../results/cni-version.ts";
import { attachmentTask } from "./list-task.ts";
import { cachedResultForCheck, inListVersion, prevResultVersion } from "./previous-result.ts";

/**
 * Runs CHECK for each plugin in list order, all with the final result of ADD as prevResult: the one given, or
 * the cached one (none if nothing is cached). A list with `disableCheck` is a success without a run.
 * @throws {CheckNotSupportedError} for a list below 0.4.0, `disableCheck` or not
 * @throws {UnsupportedVersionError} if the list's version is none
 * @throws {ResultCacheError} if the cached result cannot be used
 * @throws {CniError} from the first plugin that fails, as it is; later ones do not run
 * @see SPEC.md §2 "CHECK"; libcni `CheckNetworkList`
 */
export async function checkNetworkList(
  cni: CniRuntime,
  list: NetworkList,
  attachment: Attachment,
  prevResult: CniResult | "from-cache" | undefined,
  limits: RunLimits,
): Promise<void> {
  if (compareVersions(list.cniVersion, prevResultVersion) < 0)
    throw new CheckNotSupportedError(list.cniVersion);
  if (list.disableCheck) return;
  const result =
    prevResult === "from-cache"
      ? await cachedResultForCheck(cni, list, attachment)
      : prevResult && inListVersion(prevResult, list);
  for (const [index, plugin] of list.plugins.entries()) {
    const left = list.plugins.length - index;
    await runPlugin(
      cni,
      attachmentTask(cni, list, attachment, "CHECK", { plugin, index }, result, left),
      limits,
    );
  }
}
