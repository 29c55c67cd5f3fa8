import { readFile } from "node:fs/promises";
import { waitFor } from "./wait-for.ts";

/** There, and not only a zombie that waits for its parent. */
export async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => "");
  return stat !== "" && !/\) [ZX] /.test(stat);
}

/** The process ID that a script has written into `file`, as soon as the line is whole. */
export async function writtenPid(file: string): Promise<number> {
  return await waitFor(`a process ID in ${file}`, async () => {
    const text = await readFile(file, "utf8");
    return text.endsWith("\n") && Number(text);
  });
}
