import type { HeldResource } from "../attachments/held-resources.ts";
import { heldResources } from "../attachments/held-resources.ts";
import type { Log } from "../attachments/instruments.ts";
import type { Namespaces } from "../attachments/ports.ts";
import type { AttachmentRecord, SandboxRecord } from "../attachments/sandbox-record.ts";
import { type ReadSettings, settingsOfNetwork } from "../attachments/settings.ts";
import type { DeletionRecord } from "./deletion-record.ts";

/**
 * Keeps the namespaces of owed deletions: a device that is still inside would be out of every plugin's reach once the
 * runtime has removed the namespace. Held by the native arm, bounded there; what is lost with it is only a worse try.
 */
export class NamespacePins {
  readonly #namespaces: Namespaces;
  readonly #settings: ReadSettings;
  readonly #log: Log;
  /** By deletion. */
  readonly #paths = new Map<string, string>();

  constructor(namespaces: Namespaces, settings: ReadSettings, log: Log) {
    this.#namespaces = namespaces;
    this.#settings = settings;
    this.#log = log;
  }

  /**
   * Holds the sandbox's namespace for those of its deletions that want it, and takes its links down. Only for a sandbox
   * that ends: of a hot-unplugged network the pod goes on. Never rejects.
   */
  async hold(record: SandboxRecord, netns: string, deletions: readonly DeletionRecord[]): Promise<void> {
    const identity = record.netnsIdentity;
    // Without a cookie nobody can be sure whose links would be taken down.
    if (identity?.cookie === undefined || netns === "" || record.hotPlugged === true) return;
    for (const { id, attachment } of deletions) {
      if (!this.#isWanted(attachment)) continue;
      try {
        const path = await this.#namespaces.pin(netns, id, identity.cookie);
        if (path !== undefined) this.#paths.set(id, path);
      } catch (err) {
        const about = { err, deletion: id, containerID: record.containerId };
        this.#log.warn(about, "namespace of an owed deletion could not be held");
      }
    }
  }

  /** Where the namespace of a deletion is reached now; the fence looks at it as at any path. */
  pathOf({ id, netns }: DeletionRecord): string {
    return this.#paths.get(id) ?? netns;
  }

  /** Lets go, once the deletion is settled. Never rejects. */
  async release(id: string): Promise<void> {
    if (!this.#paths.delete(id)) return;
    try {
      await this.#namespaces.unpin(id);
    } catch (err) {
      this.#log.warn({ err, deletion: id }, "namespace of a settled deletion could not be let go");
    }
  }

  #isWanted(attachment: AttachmentRecord): boolean {
    const { network, listName } = attachment;
    const rule = settingsOfNetwork(this.#settings(), network, listName).pinNamespaces ?? "devices";
    if (rule !== "devices") return rule === "all";
    return hasDevice(attachment);
  }
}

/** True for an attachment that has taken a device of the node into its namespace. */
export function hasDevice(attachment: AttachmentRecord): boolean {
  return heldResources(attachment).some(({ kind }: HeldResource) => kind === "device");
}
