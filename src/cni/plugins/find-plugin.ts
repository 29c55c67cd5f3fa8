import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { excerpt } from "../errors/excerpt.ts";
import { goQuote } from "../errors/go-quote.ts";
import { PluginNotFoundError } from "../errors/plugin-errors.ts";
import { resolveInRoot } from "../files/resolve-in-root.ts";

/**
 * Absolute path of the plugin `type`, as seen from inside `root`: the first regular file (or link to one) of that
 * name on the search path, executable or not.
 * @throws {PluginNotFoundError} also for a `type` that is empty or has a slash
 * @see libcni `invoke.FindInPath`
 */
export async function findPlugin(
  type: string,
  searchPath: readonly string[],
  root?: string,
): Promise<string> {
  if (type === "") throw new PluginNotFoundError("no plugin name provided", type);
  if (type.includes("/") || type.includes("\0")) {
    throw new PluginNotFoundError(`invalid plugin name: ${excerpt(type)}`, type);
  }
  if (searchPath.length === 0) throw new PluginNotFoundError("no paths provided", type);
  let problem: unknown;
  for (const directory of searchPath) {
    const path = root === undefined ? resolve(directory, type) : resolve("/", directory, type);
    try {
      if (await isRegularFile(path, root)) return path;
    } catch (error) {
      // Another directory may still have it.
      problem ??= error;
    }
  }
  const where = `in path [${searchPath.join(" ")}]`;
  throw new PluginNotFoundError(`failed to find plugin ${goQuote(type)} ${where}`, type, problem);
}

async function isRegularFile(path: string, root: string | undefined): Promise<boolean> {
  try {
    return (await stat(root === undefined ? path : await resolveInRoot(root, path))).isFile();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return false;
    throw error;
  }
}
