import { CniError, describeCniError, pluginVersions } from "../../cni/index.ts";
import type { Finding } from "../output.ts";
import { renderTable } from "../render-table.ts";
import type { NetworkCall } from "./network-call.ts";

interface PluginView {
  readonly plugin: string;
  readonly versions: readonly string[];
  /** The list's version is among them. */
  readonly fits: boolean;
  /** Why it did not tell. */
  readonly error?: string;
}

/** What each plugin of the list answers to VERSION; exit status 1 if one does not have the list's version. */
export async function pluginVersionsFinding(call: NetworkCall): Promise<Finding> {
  const { name: network } = call.list;
  const cniVersion = call.list.cniVersion === "" ? "0.1.0" : call.list.cniVersion;
  const plugins: PluginView[] = [];
  for (const { type } of call.list.plugins) plugins.push(await askPlugin(call, type, cniVersion));
  return {
    answer: { network, cniVersion, plugins },
    table: () => render(plugins, cniVersion),
    exitCode: plugins.every(({ fits }) => fits) ? 0 : 1,
  };
}

async function askPlugin(call: NetworkCall, plugin: string, wanted: string): Promise<PluginView> {
  try {
    const versions = await pluginVersions(call.cni, plugin, call.attachment, call.limits);
    return { plugin, versions, fits: versions.includes(wanted) };
  } catch (error) {
    if (!(error instanceof CniError)) throw error;
    return { plugin, versions: [], fits: false, error: describeCniError(error) };
  }
}

function render(plugins: readonly PluginView[], cniVersion: string): string {
  return renderTable(
    ["PLUGIN", `HAS ${cniVersion}`, "VERSIONS"],
    plugins.map(({ plugin, versions, fits, error }) => [
      plugin,
      fits ? "yes" : "no",
      error ?? versions.join(" "),
    ]),
  );
}
