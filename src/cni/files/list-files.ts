import { readdir } from "node:fs/promises";
import { join } from "node:path";

/**
 * Files of a directory whose name ends in one of `extensions` (dot included), sorted bytewise; no directories,
 * nothing below. A directory that is not there has none.
 * @throws {NodeJS.ErrnoException} if the directory cannot be read
 * @see libcni `ConfFiles`
 */
export async function listFiles(
  directory: string,
  extensions: readonly string[],
): Promise<readonly string[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    return entries
      .filter((entry) => !entry.isDirectory() && extensions.includes(extensionOf(entry.name)))
      .map((entry) => entry.name)
      .sort(compareBytewise)
      .map((name) => join(directory, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** From the last dot on; unlike `path.extname` a leading dot counts, as in Go. */
function extensionOf(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot < 0 ? "" : name.slice(dot);
}

/** Order of the UTF-8 bytes, as Go sorts; UTF-16 order differs beyond U+FFFF. */
export function compareBytewise(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
