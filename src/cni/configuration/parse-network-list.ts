import type { CniError } from "../errors/cni-error.ts";
import { InvalidNetworkConfigError } from "../errors/configuration-errors.ts";
import { goQuote } from "../errors/go-quote.ts";
import { goTypeOf, jsonKind } from "../raw-json/json-kind.ts";
import { scanDocument } from "../raw-json/json-scanner.ts";
import { parseRawArray } from "../raw-json/raw-array.ts";
import { memberText, parseRawObject, type RawObject } from "../raw-json/raw-object.ts";
import { configurationError } from "./configuration-error.ts";
import type { NetworkList, PluginConfiguration } from "./network-list.ts";
import { parseListedPlugin, parsePluginConfiguration } from "./parse-plugin-configuration.ts";
import { selectVersion } from "./select-version.ts";

const what = "error parsing configuration list";

/**
 * Reads a network configuration list from its text alone: no drop-in plugins, and so perhaps no plugins at all.
 * The keys of the list match with their letter case; those of plugins without.
 * @throws {InvalidNetworkConfigError} in libcni's words, position or index and key included
 * @see SPEC.md §1 "Configuration format"; libcni `NetworkConfFromBytes`
 */
export function parseNetworkList(text: string): NetworkList {
  const list = parseListObject(text);
  const name = readName(list);
  const cniVersion = selectVersion(list);
  const disableCheck = readFlag(list, "disableCheck");
  const disableGc = readFlag(list, "disableGC");
  const loadOnlyInlinedPlugins = readFlag(list, "loadOnlyInlinedPlugins");
  const plugins = readPlugins(list, loadOnlyInlinedPlugins);
  return { name, cniVersion, disableCheck, disableGc, loadOnlyInlinedPlugins, plugins, text };
}

/**
 * A list of one plugin, with the plugin's own name and version, as libcni makes it from a file without `plugins`.
 * @throws {InvalidNetworkConfigError} if it can be read by itself, but not as an element of a list
 * @see libcni `ConfListFromConf`
 */
export function networkListFromPlugin(plugin: PluginConfiguration): NetworkList {
  const { name, cniVersion } = plugin;
  const head = `"cniVersion":${JSON.stringify(cniVersion)},"name":${JSON.stringify(name)}`;
  const text = `{${head},"plugins":[${plugin.text}]}`;
  const flags = { disableCheck: false, disableGc: false, loadOnlyInlinedPlugins: false };
  return { name, cniVersion, ...flags, plugins: [readElement(plugin.text, 0)], text };
}

/**
 * Reads what may be either: a text with the key `plugins` is a list, any other a single plugin.
 * @throws {InvalidNetworkConfigError}
 */
export function parseNetworkListOrPlugin(text: string): NetworkList {
  if (memberText(parseListObject(text), "plugins") !== undefined) return parseNetworkList(text);
  return networkListFromPlugin(parsePluginConfiguration(text));
}

function parseListObject(text: string): RawObject {
  try {
    // In Go `null` is an empty map.
    const { start } = scanDocument(text);
    return text[start] === "n" ? { members: [] } : parseRawObject(text);
  } catch (error) {
    throw configurationError(what, error);
  }
}

function readName(list: RawObject): string {
  const text = memberText(list, "name");
  if (text === undefined) throw new InvalidNetworkConfigError(`${what}: no name`);
  if (jsonKind(text) !== "string") {
    throw new InvalidNetworkConfigError(`${what}: invalid name type ${goTypeOf(text)}`);
  }
  return JSON.parse(text) as string;
}

function readFlag(list: RawObject, key: string): boolean {
  const text = memberText(list, key);
  if (text === undefined) return false;
  const kind = jsonKind(text);
  if (kind === "bool") return text === "true";
  if (kind !== "string") {
    throw new InvalidNetworkConfigError(`${what}: invalid type ${goTypeOf(text)} for ${key}`);
  }
  const word = (JSON.parse(text) as string).toLowerCase();
  if (word !== "true" && word !== "false") {
    throw new InvalidNetworkConfigError(`${what}: invalid value ${goQuote(word)} for ${key}`);
  }
  return word === "true";
}

function readPlugins(list: RawObject, loadOnlyInlinedPlugins: boolean): readonly PluginConfiguration[] {
  const text = memberText(list, "plugins");
  if (text === undefined) {
    if (!loadOnlyInlinedPlugins) return [];
    throw new InvalidNetworkConfigError(`${what}: \`loadOnlyInlinedPlugins\` is true, and no 'plugins' key`);
  }
  if (jsonKind(text) !== "array") {
    throw new InvalidNetworkConfigError(`${what}: invalid 'plugins' type ${goTypeOf(text)}`);
  }
  const elements = parseRawArray(text);
  if (elements.length === 0) throw new InvalidNetworkConfigError(`${what}: no plugins in list`);
  return elements.map(readElement);
}

function readElement(text: string, index: number): PluginConfiguration {
  try {
    return parseListedPlugin(text);
  } catch (error) {
    if (!(error instanceof InvalidNetworkConfigError)) throw error;
    throw atElement(error, index);
  }
}

function atElement(error: CniError, index: number): InvalidNetworkConfigError {
  return new InvalidNetworkConfigError(`failed to parse plugin config ${index}: ${error.message}`, {
    cause: error,
  });
}
