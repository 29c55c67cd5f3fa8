import { readdir, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { errnoCode } from "../foundation/passing-error.ts";
import { isAbsent } from "./file-errors.ts";
import { temporaryNamePattern } from "./temporary-name.ts";

/**
 * Removes files in the making that nobody will finish. To be called before the first write of this process, which may
 * have the process ID of a dead one: in a container it always has.
 * @param minAgeMs where other processes write too, maybe with process IDs of another namespace
 * @returns how many were removed
 */
export async function removeLeftoverTemporaries(directory: string, minAgeMs = 0): Promise<number> {
  let removed = 0;
  for (const name of await namesIn(directory)) {
    const [, pid] = temporaryNamePattern.exec(name) ?? [];
    if (pid === undefined || (Number(pid) !== process.pid && isAlive(Number(pid)))) continue;
    const file = join(directory, name);
    try {
      if (minAgeMs > 0 && Date.now() - (await stat(file)).mtimeMs < minAgeMs) continue;
      await unlink(file);
      removed += 1;
    } catch {
      // Its owner was faster, or it cannot be removed: readers pass over it, so it is in nobody's way.
    }
  }
  return removed;
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoCode(error) !== "ESRCH";
  }
}
