import { type HeldResource, heldResources } from "../attachments/held-resources.ts";
import type { LiveAttachments } from "../attachments/live-attachments.ts";
import type { ResourceLocks } from "../attachments/resource-locks.ts";
import type { Generation } from "../attachments/sandbox.ts";
import type { AttachmentRecord } from "../attachments/sandbox-record.ts";
import { abortable } from "../foundation/abort.ts";

/** Why a plugin must not run its DEL: somebody else has by now what it would act upon. */
export interface PluginFence {
  readonly kind: HeldResource["kind"];
  /** For people; the closing reason of a deletion that cannot go on. */
  readonly reason: string;
}

/** By plugin index. */
export type PluginFences = ReadonlyMap<number, PluginFence>;

/** Whose attachment it is. */
export interface FencedSandbox {
  readonly containerId: string;
  readonly generation: Generation;
}

/**
 * Keeps a late DEL away from what a newer attachment has: its check and the plugins' run hold the locks that an ADD
 * takes, so that none gets the device or address in between.
 */
export class ResourceFence {
  readonly #live: LiveAttachments;
  readonly #locks: ResourceLocks;

  constructor(live: LiveAttachments, locks: ResourceLocks) {
    this.#live = live;
    this.#locks = locks;
  }

  /**
   * Runs `task` with the plugins that it must leave out. Rejects with the signal's reason, without `task` having run,
   * if that is aborted while others are waited for.
   */
  async guard<T>(
    sandbox: FencedSandbox,
    attachment: AttachmentRecord,
    signal: AbortSignal,
    task: (fences: PluginFences) => Promise<T>,
  ): Promise<T> {
    const held = heldResources(attachment);
    if (held.length === 0) return await task(new Map());
    // Before the first DEL an IPAM has given none of its addresses back, so nobody else can have them.
    const isRepeated = attachment.state === "deleting" || attachment.owed !== undefined;
    if (isRepeated || held.some(({ isFixed }) => isFixed)) await abortable(this.#live.whenLoaded(), signal);
    if (isRepeated && held.some(({ isFixed }) => !isFixed))
      await this.#live.whenAttached(attachment.network, signal);
    return await this.#locks.holding(held, signal, () => task(this.#fencesOf(sandbox, held)));
  }

  #fencesOf(sandbox: FencedSandbox, held: readonly HeldResource[]): PluginFences {
    const fences = new Map<number, PluginFence>();
    for (const resource of held) {
      const holder = this.#live.newerHolder(resource, sandbox);
      if (holder === undefined) continue;
      const reason = `${resource.text} is held by a newer sandbox (${holder.containerId})`;
      for (const index of resource.usedBy) {
        // An address cannot be split off, so it goes before a device of the same plugin.
        if (resource.kind === "address" || !fences.has(index))
          fences.set(index, { kind: resource.kind, reason });
      }
    }
    return fences;
  }
}
