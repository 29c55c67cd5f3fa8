import type { NetworkList } from "../configuration/network-list.ts";
import { asCniError, type CniError, describeCniError } from "../errors/cni-error.ts";
import { excerpt } from "../errors/excerpt.ts";
import { goQuote } from "../errors/go-quote.ts";
import { UnsupportedVersionError } from "../errors/result-errors.ts";
import { CombinedError } from "../errors/verb-errors.ts";
import type { CniRuntime, PluginSearch, RunLimits } from "../plugins/cni-runtime.ts";
import { pluginVersions } from "./plugin-versions.ts";

/**
 * Checks that every plugin of the list is there and says that it supports the list's version, spelled the same.
 * Returns the capabilities that plugins have switched on, each once, in the order of the list.
 * @throws {CombinedError} with one error for each plugin that is not fit
 * @see libcni `ValidateNetworkList`
 */
export async function validateNetworkList(
  cni: CniRuntime,
  list: NetworkList,
  search: PluginSearch,
  limits: RunLimits,
): Promise<readonly string[]> {
  const version = list.cniVersion === "" ? "0.1.0" : list.cniVersion;
  const errors: CniError[] = [];
  for (const [index, { type }] of list.plugins.entries()) {
    const place = { listName: list.name, index, pluginsLeft: list.plugins.length - index };
    try {
      const versions = await pluginVersions(cni, type, search, limits, place);
      if (!versions.includes(version)) errors.push(unsupported(type, version));
    } catch (error) {
      errors.push(asCniError(error));
    }
  }
  if (errors.length > 0) throw new CombinedError(`[${errors.map(describeCniError).join(" ")}]`, errors);
  return enabledCapabilities(list);
}

function unsupported(type: string, version: string): CniError {
  return new UnsupportedVersionError(
    `plugin ${excerpt(type)} does not support config version ${goQuote(version)}`,
  );
}

function enabledCapabilities(list: NetworkList): readonly string[] {
  const enabled = list.plugins.flatMap(({ capabilities }) =>
    Object.entries(capabilities).filter(([, isEnabled]) => isEnabled),
  );
  return [...new Set(enabled.map(([capability]) => capability))];
}
