import { readFile } from "node:fs/promises";

/**
 * When a process began, in clock ticks since boot, decimal: with the ID it names a process for good. `undefined` if
 * there is no such process.
 */
export async function readProcessStart(pid: number): Promise<string | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "latin1");
    // The second field is the program's own choice and may hold anything, parentheses and spaces too.
    return stat.slice(stat.lastIndexOf(") ") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}
