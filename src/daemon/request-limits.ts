import { readFile } from "node:fs/promises";
import { availableParallelism, totalmem } from "node:os";
import type { SlotLimits } from "../attachments/request-slots.ts";
import type { DaemonConfig } from "../config/daemon-config.ts";

/** A common delegate with its IPAM plugin; the largest seen take 55 MB. */
const bytesPerRequest = 32 * 1024 * 1024;
/** Of the memory limit, what plugins may take together; the rest is the daemon's and the page cache's. */
const shareForPlugins = 0.6;

/** How many requests may run plugins at once: by number, or what the cgroup's memory holds. */
export async function slotLimits(limits: DaemonConfig["limits"]): Promise<SlotLimits> {
  const concurrent =
    limits.concurrentDelegates === "auto" ? await fittingRequests() : limits.concurrentDelegates;
  return { concurrent, reservedForDel: limits.reservedForDel, waiting: limits.queue };
}

async function fittingRequests(): Promise<number> {
  const memory = Math.min(totalmem(), await memoryLimit());
  const byMemory = Math.floor((memory * shareForPlugins) / bytesPerRequest);
  return Math.min(Math.max(4, byMemory), Math.max(16, 16 * availableParallelism()));
}

/** The cgroup's limit in bytes, version 2 or 1; infinite where there is none. */
async function memoryLimit(): Promise<number> {
  for (const file of ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]) {
    const text = await readFile(file, "utf8").catch(() => "");
    if (/^\d+\s*$/.test(text)) return Number(text);
  }
  return Number.POSITIVE_INFINITY;
}
