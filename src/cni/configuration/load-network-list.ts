import { dirname, join } from "node:path";
import { CniError } from "../errors/cni-error.ts";
import { InvalidNetworkConfigError } from "../errors/configuration-errors.ts";
import { listFiles } from "../files/list-files.ts";
import { inFile } from "./configuration-error.ts";
import { validateNetworkName } from "./names.ts";
import type { NetworkList, PluginConfiguration } from "./network-list.ts";
import { parseNetworkList } from "./parse-network-list.ts";
import { parseListedPlugin } from "./parse-plugin-configuration.ts";
import { readConfigurationFile } from "./read-configuration-file.ts";

/**
 * Loads a list from a file, and after its own plugins the drop-in plugins `<directory>/<name>/*.conf`, sorted by
 * file name, unless it has `loadOnlyInlinedPlugins`.
 * @throws {InvalidNetworkConfigError} whose details name the file
 * @see SPEC.md §1 `loadOnlyInlinedPlugins`; libcni `NetworkConfFromFile`
 */
export async function loadNetworkListFile(file: string): Promise<NetworkList> {
  return await completeNetworkList(file, await readNetworkListFile(file));
}

/** The list of a file without its drop-in plugins. */
export async function readNetworkListFile(file: string): Promise<NetworkList> {
  return attempt(file, parseNetworkList, await readConfigurationFile(file));
}

/** Adds the drop-in plugins to a list that was read from `file`. */
export async function completeNetworkList(file: string, list: NetworkList): Promise<NetworkList> {
  const dropIns = list.loadOnlyInlinedPlugins ? [] : await loadDropIns(file, list.name);
  const plugins = [...list.plugins, ...dropIns];
  if (plugins.length === 0) throw inFile(file, new InvalidNetworkConfigError("no plugin configs found"));
  return { ...list, plugins };
}

async function loadDropIns(file: string, name: string): Promise<readonly PluginConfiguration[]> {
  // Before the name becomes part of a path: libcni would read any directory for `../x`.
  const problem = validateNetworkName(name);
  if (problem !== undefined) throw inFile(file, problem);
  const plugins: PluginConfiguration[] = [];
  // As elements of a list, which they become where the list is kept for DEL (`networkListText`).
  for (const dropIn of await listDropIns(join(dirname(file), name))) {
    plugins.push(attempt(dropIn, parseListedPlugin, await readConfigurationFile(dropIn)));
  }
  return plugins;
}

async function listDropIns(directory: string): Promise<readonly string[]> {
  try {
    return await listFiles(directory, [".conf"]);
  } catch (error) {
    const { message } = error as Error;
    throw new InvalidNetworkConfigError(`failed to read plugin config files in ${directory}: ${message}`, {
      cause: error,
    });
  }
}

function attempt<T>(file: string, parse: (text: string) => T, text: string): T {
  try {
    return parse(text);
  } catch (error) {
    throw error instanceof CniError ? inFile(file, error) : error;
  }
}
