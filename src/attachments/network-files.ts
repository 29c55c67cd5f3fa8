import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import {
  CniError,
  findNetworkList,
  loadNetworkListFile,
  NetworkListNotFoundError,
  NoNetworkListsError,
  networkListText,
} from "../cni/index.ts";
import { Failure } from "./failure.ts";

/**
 * The list in a file, or in the first configuration file of a directory, drop-in plugins included, as one text.
 * @param where for error texts
 * @throws {Failure} `network-missing` or `invalid-configuration`
 */
export async function readNetworkPath(path: string, where: string): Promise<string> {
  const file = (await isDirectory(path, where)) ? await firstFileOf(path, where) : path;
  return networkListText(await guard(where, () => loadNetworkListFile(file)));
}

/** The list of that name in `directory`; `undefined` if no file has it. */
export async function readNamedFile(
  directory: string,
  name: string,
  where: string,
): Promise<string | undefined> {
  try {
    return networkListText(await findNetworkList(directory, name));
  } catch (error) {
    if (error instanceof NetworkListNotFoundError || error instanceof NoNetworkListsError) return undefined;
    throw asFailure(where, error);
  }
}

async function isDirectory(path: string, where: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    throw asFailure(where, error);
  }
}

async function firstFileOf(directory: string, where: string): Promise<string> {
  const names = (await guard(where, () => readdir(directory)))
    .filter((name) => /\.(conf|conflist|json)$/.test(name))
    .sort();
  const [first] = names;
  if (first !== undefined) return join(directory, first);
  throw new Failure("network-missing", `${where}: no .conf, .conflist or .json file in it`);
}

async function guard<T>(where: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw asFailure(where, error);
  }
}

function asFailure(where: string, error: unknown): unknown {
  if (error instanceof CniError) {
    return new Failure("invalid-configuration", `${where}: ${error.message}`, { cause: error });
  }
  if (!isSystemError(error)) return error;
  const isMissing = error.code === "ENOENT" || error.code === "ENOTDIR";
  const what = isMissing ? "there is no such file" : `cannot be read (${error.code})`;
  return new Failure(isMissing ? "network-missing" : "invalid-configuration", `${where}: ${what}`, {
    cause: error,
  });
}

function isSystemError(error: unknown): error is Error & { code: string } {
  return error instanceof Error && "code" in error && typeof error.code === "string";
}
