import { describeCniError } from "../errors/cni-error.ts";
import { PluginFailedError } from "../errors/plugin-errors.ts";
import type { CniRuntime, PluginSearch, RunLimits } from "../plugins/cni-runtime.ts";
import { type PluginTask, runPlugin } from "../plugins/run-plugin.ts";
import { currentVersion } from "../results/cni-version.ts";
import { parseVersionInfo } from "../results/version-info.ts";

/** Plugins made with the first skeletons refuse VERSION itself unless these are set. */
const dummies = { containerId: "", netns: "dummy", ifName: "dummy", args: [] };

/**
 * Versions of the specification that the plugin `type` says it supports, as it lists them; not checked.
 * @throws {PluginNotFoundError}
 * @throws {PluginFailedError}
 * @throws {InvalidResultError} if the answer cannot be read
 * @see SPEC.md §2 "VERSION"; libcni `GetVersionInfo`
 */
export async function pluginVersions(
  cni: CniRuntime,
  type: string,
  search: PluginSearch,
  limits: RunLimits,
  place: Pick<PluginTask, "listName" | "index" | "pluginsLeft"> = { listName: "", index: 0, pluginsLeft: 1 },
): Promise<readonly string[]> {
  const stdin = JSON.stringify({ cniVersion: currentVersion });
  const facts = { parameters: dummies, search, cniPath: "dummy", stdin } as const;
  try {
    const output = await runPlugin(cni, { ...place, ...facts, plugin: { type }, command: "VERSION" }, limits);
    return parseVersionInfo(output.stdout);
  } catch (error) {
    if (isUnknownCommand(error)) return ["0.1.0"];
    throw error;
  }
}

/** How plugins of spec 0.1.0 answer, which had no VERSION. */
function isUnknownCommand(error: unknown): boolean {
  return (
    error instanceof PluginFailedError &&
    error.fromPlugin &&
    describeCniError(error) === "unknown CNI_COMMAND: VERSION"
  );
}
