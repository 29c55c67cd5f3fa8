import { readFile } from "node:fs/promises";
import { childrenOf } from "../support/processes.ts";

export interface Memory {
  readonly residentMb: number;
  readonly anonymousMb: number;
}

/** Of the daemon and what it keeps running. */
export async function memoryOf(pid: number): Promise<Memory> {
  const pids = [pid, ...(await childrenOf(pid))];
  const texts = await Promise.all(pids.map((one) => readFile(`/proc/${one}/smaps_rollup`, "utf8")));
  const sum = (field: string) => texts.reduce((total, text) => total + megabytes(text, field), 0);
  return { residentMb: sum("Rss"), anonymousMb: sum("Anonymous") };
}

function megabytes(text: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(text)?.[1] ?? Number.NaN) / 1024;
}
