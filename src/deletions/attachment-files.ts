import type { Log } from "../attachments/instruments.ts";
import type { UpstreamFiles } from "../attachments/ports.ts";
import type { AttachmentRecord } from "../attachments/sandbox-record.ts";
import { printResult, type ResultCache } from "../cni/index.ts";

/**
 * The files that libcni and upstream multus know an attachment by. They are never needed for a DEL that has its
 * record; a damaged one is put into quarantine and counted.
 */
export class AttachmentFiles {
  readonly #cache: ResultCache;
  readonly #upstream: UpstreamFiles;
  readonly #log: Log;

  constructor(cache: ResultCache, upstream: UpstreamFiles, log: Log) {
    this.#cache = cache;
    this.#upstream = upstream;
    this.#log = log;
  }

  /**
   * The attachment with the result that libcni's cache has of it, where its record has none: an ADD that did not come to
   * its end attached some networks all the same. Never rejects.
   */
  async recallResult(containerId: string, attachment: AttachmentRecord): Promise<AttachmentRecord> {
    if (attachment.result !== undefined) return attachment;
    let recalled = attachment;
    await this.#attempt(containerId, "result cache could not be looked at", async () => {
      const found = await this.#cache.read(attachment.listName, containerId, attachment.interface);
      if (found.kind === "usable" && found.record.result !== undefined)
        recalled = { ...attachment, result: printResult(found.record.result) };
    });
    return recalled;
  }

  /** Removes the result caches of attachments that are gone; damaged ones go to quarantine. Never rejects. */
  async removeCaches(containerId: string, attachments: readonly AttachmentRecord[]): Promise<void> {
    const message = "result cache of a deleted attachment could not be removed";
    await Promise.all(
      attachments.map((attachment) =>
        this.#attempt(containerId, message, () => this.#remove(containerId, attachment)),
      ),
    );
  }

  /** Removes upstream's file of a sandbox whose DEL is done. Never rejects. */
  async removeScratch(containerId: string): Promise<void> {
    const message = "scratch file of a deleted sandbox could not be removed";
    await this.#attempt(containerId, message, () => this.#upstream.removeScratch(containerId));
  }

  async #remove(
    containerId: string,
    { listName, network, interface: ifName }: AttachmentRecord,
  ): Promise<void> {
    const found = await this.#cache.read(listName, containerId, ifName);
    if (found.kind === "usable") await this.#cache.discard(listName, containerId, ifName);
    if (found.kind !== "corrupt") return;
    this.#log.warn({ containerID: containerId, network, reason: found.reason }, "result cache is damaged");
    await this.#upstream.quarantineCache(found.file);
  }

  async #attempt(containerId: string, message: string, action: () => Promise<unknown>): Promise<void> {
    try {
      await action();
    } catch (err) {
      this.#log.warn({ err, containerID: containerId }, message);
    }
  }
}
