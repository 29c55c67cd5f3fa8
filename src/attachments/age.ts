import type { BootClock } from "./ports.ts";
import type { Age } from "./sandbox-record.ts";

/** Elapsed time that wall-clock jumps do not touch; of a boot that ended only what was written counts. */
export function elapsedMs(age: Age, clock: BootClock): number {
  if (age.bootId !== clock.bootId) return age.elapsedMs;
  const sinceMs = Number((clock.nowNs() - BigInt(age.atNs)) / 1_000_000n);
  return age.elapsedMs + Math.max(0, sinceMs);
}

export function newAge(clock: BootClock): Age {
  return { elapsedMs: 0, bootId: clock.bootId, atNs: clock.nowNs().toString() };
}

/** The same age, written down for now: a reboot then loses nothing of it. */
export function carryAge(age: Age, clock: BootClock): Age {
  return { elapsedMs: elapsedMs(age, clock), bootId: clock.bootId, atNs: clock.nowNs().toString() };
}
