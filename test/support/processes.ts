import { readdir, readFile, readlink } from "node:fs/promises";

/** Live processes (no zombies) whose program lies below `directory`. */
export async function processesBelow(directory: string): Promise<readonly number[]> {
  const found: number[] = [];
  for (const entry of await readdir("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    const program = await readlink(`/proc/${entry}/exe`).catch(() => "");
    if (program.startsWith(`${directory}/`)) found.push(Number(entry));
  }
  return found;
}

/** Children of a process, by /proc. */
export async function childrenOf(pid: number): Promise<readonly number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  return text
    .trim()
    .split(/\s+/)
    .filter((one) => one !== "")
    .map(Number);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
