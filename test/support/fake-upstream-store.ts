import type { UpstreamDelegate, UpstreamFiles, UpstreamScratch } from "../../src/attachments/ports.ts";

/** Upstream's files in memory. */
export class FakeUpstreamFiles implements UpstreamFiles {
  /** Cache files that were put aside. */
  readonly quarantinedCaches: string[] = [];
  readonly #scratch = new Map<string, readonly UpstreamDelegate[]>();
  readonly #unreadable = new Map<string, string>();

  /** Makes the scratch file unreadable until it is read once or written anew. */
  makeUnreadable(containerId: string, reason = "torn"): void {
    this.#scratch.delete(containerId);
    this.#unreadable.set(containerId, reason);
  }

  async readScratch(containerId: string): Promise<UpstreamScratch> {
    const reason = this.#unreadable.get(containerId);
    if (reason !== undefined) {
      this.#unreadable.delete(containerId);
      return { kind: "unreadable", reason, quarantined: `quarantine/scratch-${containerId}` };
    }
    const delegates = this.#scratch.get(containerId);
    return delegates === undefined
      ? { kind: "missing" }
      : { kind: "delegates", delegates: structuredClone(delegates) };
  }

  async writeScratch(containerId: string, delegates: readonly UpstreamDelegate[]): Promise<void> {
    this.#unreadable.delete(containerId);
    this.#scratch.set(containerId, structuredClone(delegates));
  }

  async removeScratch(containerId: string): Promise<void> {
    this.#unreadable.delete(containerId);
    this.#scratch.delete(containerId);
  }

  async quarantineCache(fileName: string): Promise<void> {
    this.quarantinedCaches.push(fileName);
  }
}
