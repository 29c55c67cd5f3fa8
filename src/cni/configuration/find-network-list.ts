import { CniError } from "../errors/cni-error.ts";
import {
  InvalidNetworkConfigError,
  NetworkListNotFoundError,
  NoNetworkListsError,
  type UnusableFile,
} from "../errors/configuration-errors.ts";
import { listFiles } from "../files/list-files.ts";
import { inFile } from "./configuration-error.ts";
import { completeNetworkList, readNetworkListFile } from "./load-network-list.ts";
import type { NetworkList } from "./network-list.ts";
import { networkListFromPlugin } from "./parse-network-list.ts";
import { parsePluginConfiguration } from "./parse-plugin-configuration.ts";
import { readConfigurationFile } from "./read-configuration-file.ts";

/**
 * The list named `name` of a directory: `*.conflist` first, then single plugins (`*.conf`, `*.json`) as a list of
 * one; each kind sorted bytewise by file name, the first that can be used wins. A file that cannot be used never hides another one.
 * @throws {InvalidNetworkConfigError} of the file that has this name, if it cannot be used and no other has it
 * @throws {NetworkListNotFoundError} with every file that could not be read, since `name` may be in one of them
 * @throws {NoNetworkListsError} if there is no configuration at all
 * @see libcni `LoadNetworkConf`
 */
export async function findNetworkList(directory: string, name: string): Promise<NetworkList> {
  const search = new Search(name);
  const lists = await listCandidates(directory, [".conflist"]);
  const found = await search.firstUsable(lists, readNetworkListFile, completeNetworkList);
  if (found !== undefined) return found;
  const plugins = await listCandidates(directory, [".conf", ".json"]);
  const single = await search.firstUsable(plugins, readPluginFile, async (_file, list) => list);
  if (single !== undefined) return single;
  if (search.failedMatch !== undefined) throw search.failedMatch;
  if (lists.length + plugins.length === 0) throw new NoNetworkListsError(directory);
  throw new NetworkListNotFoundError(name, directory, search.unusable);
}

type ReadList = (file: string) => Promise<NetworkList>;
type CompleteList = (file: string, list: NetworkList) => Promise<NetworkList>;

class Search {
  readonly unusable: UnusableFile[] = [];
  /** Why the first list of the wanted name cannot be used. */
  failedMatch: CniError | undefined;
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  async firstUsable(
    files: readonly string[],
    read: ReadList,
    complete: CompleteList,
  ): Promise<NetworkList | undefined> {
    for (const file of files) {
      const list = await this.#collect(file, read(file));
      if (list?.name !== this.#name) continue;
      const whole = await this.#collect(file, complete(file, list));
      if (whole !== undefined) return whole;
      this.failedMatch ??= this.unusable.at(-1)?.error;
    }
    return undefined;
  }

  async #collect(file: string, reading: Promise<NetworkList>): Promise<NetworkList | undefined> {
    try {
      return await reading;
    } catch (error) {
      if (!(error instanceof InvalidNetworkConfigError)) throw error;
      this.unusable.push({ file, error });
      return undefined;
    }
  }
}

async function readPluginFile(file: string): Promise<NetworkList> {
  const text = await readConfigurationFile(file);
  try {
    return networkListFromPlugin(parsePluginConfiguration(text));
  } catch (error) {
    throw error instanceof CniError ? inFile(file, error) : error;
  }
}

async function listCandidates(directory: string, extensions: readonly string[]): Promise<readonly string[]> {
  try {
    return await listFiles(directory, extensions);
  } catch (error) {
    const { message } = error as Error;
    throw new InvalidNetworkConfigError(`cannot read ${directory}: ${message}`, { cause: error });
  }
}
