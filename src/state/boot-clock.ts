import { readFile } from "node:fs/promises";
import type { BootClock } from "../attachments/ports.ts";
import { monotonicNs } from "../foundation/clock.ts";

/** The real clock of this boot. Rejects where the kernel does not say which boot this is. */
export async function openBootClock(file = "/proc/sys/kernel/random/boot_id"): Promise<BootClock> {
  const bootId = (await readFile(file, "utf8")).trim();
  if (!/^[0-9a-f-]{36}$/.test(bootId)) throw new Error(`${file} holds no boot id`);
  return { bootId, nowNs: monotonicNs, nowText: () => new Date().toISOString() };
}
