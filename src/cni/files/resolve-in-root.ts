import { readlink } from "node:fs/promises";
import { dirname, join } from "node:path";

/** As many as the kernel follows. */
const maxLinks = 40;

/**
 * Where `path` leads for a process whose root directory is `root`: symbolic links are followed as that process
 * would, absolute ones from `root`, and `..` never leaves it. Parts that are not there are kept as they are.
 * @throws {NodeJS.ErrnoException} ELOOP, EACCES and the like
 */
export async function resolveInRoot(root: string, path: string): Promise<string> {
  const pending = path.split("/").reverse();
  let resolved = "/";
  let links = 0;
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    if (part === "" || part === ".") continue;
    if (part === "..") {
      resolved = dirname(resolved);
      continue;
    }
    const target = await readLinkIfAny(join(root, resolved, part));
    if (target === undefined) {
      resolved = join(resolved, part);
      continue;
    }
    links += 1;
    if (links > maxLinks) throw Object.assign(new Error(`ELOOP: ${path}`), { code: "ELOOP" });
    if (target.startsWith("/")) resolved = "/";
    pending.push(...target.split("/").reverse());
  }
  return join(root, resolved);
}

async function readLinkIfAny(path: string): Promise<string | undefined> {
  try {
    return await readlink(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // EINVAL: no symbolic link.
    if (code === "EINVAL" || code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}
