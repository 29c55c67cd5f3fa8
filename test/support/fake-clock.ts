import type { BootClock } from "../../src/attachments/ports.ts";

/** The machine's monotonic clock, which a test can move on; a reboot gives another boot. */
export class FakeBootClock implements BootClock {
  bootId = "boot-1";
  #aheadNs = 0n;
  #lastNs = 0n;

  /** Never the same twice, as moments of different processes are not. */
  nowNs(): bigint {
    const nowNs = process.hrtime.bigint() + this.#aheadNs;
    this.#lastNs = nowNs > this.#lastNs ? nowNs : this.#lastNs + 1n;
    return this.#lastNs;
  }

  nowText(): string {
    return new Date().toISOString();
  }

  advance(ms: number): void {
    this.#aheadNs += BigInt(ms) * 1_000_000n;
  }

  reboot(bootId: string): void {
    this.bootId = bootId;
    this.#aheadNs = 0n;
    this.#lastNs = 0n;
  }
}
