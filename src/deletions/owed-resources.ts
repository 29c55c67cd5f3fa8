import { Failure } from "../attachments/failure.ts";
import { type HeldResource, heldResources } from "../attachments/held-resources.ts";
import type { Log } from "../attachments/instruments.ts";
import type { AttachmentRecord } from "../attachments/sandbox-record.ts";
import { type OwedResourceRule, type ReadSettings, settingsOfNetwork } from "../attachments/settings.ts";
import { delay } from "../foundation/abort.ts";
import { DeadlineExceededError } from "../foundation/deadline.ts";
import type { DeletionRecord } from "./deletion-record.ts";
import { owedIndexes } from "./run-attachment-deletion.ts";

export interface OwedResourcesParts {
  readonly ledger: {
    all(): readonly DeletionRecord[];
    find(id: string): DeletionRecord | undefined;
  };
  readonly scheduler: { settle(ids: readonly string[], signal: AbortSignal): Promise<void> };
  readonly settings: ReadSettings;
  readonly log: Log;
}

/** A debt on something that an ADD wants. */
interface Obstacle {
  readonly network: string;
  readonly resource: HeldResource;
  readonly rule: OwedResourceRule;
  readonly deletion: DeletionRecord;
}

/** Between two tries while an ADD waits, doubled up to the longest. */
const firstGapMs = 500;
const longestGapMs = 8000;

/** What an ADD does about a device or fixed address whose DEL is still owed (contract §4, `onOwedResource`). */
export class OwedResources {
  readonly #parts: OwedResourcesParts;

  constructor(parts: OwedResourcesParts) {
    this.#parts = parts;
  }

  /**
   * Tries each such debt once, then goes on, waits until it is settled, or refuses, as the wanting network's settings
   * say. Dead letters are in nobody's way. For a caller outside of every network, with a request slot and without locks.
   * @throws {Failure} `device-busy`, which names the deletion and both networks
   */
  async clear(attachments: readonly AttachmentRecord[], signal: AbortSignal): Promise<void> {
    const wanted = attachments.map((own) => ({ own, held: heldResources(own).filter(isFixed) }));
    if (wanted.every(({ held }) => held.length === 0)) return;
    const obstacles = this.#find(wanted);
    if (obstacles.length === 0) return;
    await this.#try(obstacles, signal);
    for (const obstacle of obstacles) {
      if (!this.#isInTheWay(obstacle)) continue;
      if (obstacle.rule === "refuse") throw busy(obstacle, "the runtime tries again");
      if (obstacle.rule === "wait") await this.#wait(obstacle, signal);
      else this.#tell(obstacle);
    }
  }

  async #wait(obstacle: Obstacle, signal: AbortSignal): Promise<void> {
    try {
      for (let gapMs = firstGapMs; this.#isInTheWay(obstacle); gapMs = Math.min(2 * gapMs, longestGapMs)) {
        await delay(gapMs, signal);
        await this.#try([obstacle], signal);
      }
    } catch (error) {
      if (error instanceof DeadlineExceededError)
        throw busy(obstacle, "it was waited for until the time of the ADD was over; the runtime tries again");
      throw error;
    }
  }

  async #try(obstacles: readonly Obstacle[], signal: AbortSignal): Promise<void> {
    const ids = new Set(obstacles.map(({ deletion }) => deletion.id));
    await this.#parts.scheduler.settle([...ids], signal);
    signal.throwIfAborted();
  }

  #find(
    wanted: readonly { readonly own: AttachmentRecord; readonly held: readonly HeldResource[] }[],
  ): readonly Obstacle[] {
    const owed = this.#parts.ledger.all().filter(({ state }) => state === "pending");
    return owed.flatMap((deletion) => {
      const keys = owedKeys(deletion);
      return wanted.flatMap(({ own, held }) =>
        held
          .filter(({ key }) => keys.has(key))
          .map((resource) => ({
            network: own.network,
            resource,
            rule: this.#ruleFor(own, resource),
            deletion,
          })),
      );
    });
  }

  #ruleFor({ network, listName }: AttachmentRecord, { kind }: HeldResource): OwedResourceRule {
    const own = settingsOfNetwork(this.#parts.settings(), network, listName).onOwedResource;
    return own ?? (kind === "device" ? "wait" : "proceed");
  }

  #isInTheWay({ deletion, resource }: Obstacle): boolean {
    const now = this.#parts.ledger.find(deletion.id);
    return now?.state === "pending" && owedKeys(now).has(resource.key);
  }

  #tell({ network, resource, deletion }: Obstacle): void {
    this.#parts.log.warn(
      { network, resource: resource.text, deletion: deletion.id },
      "add goes on although an earlier sandbox still owes the deletion of what it wants",
    );
  }
}

function isFixed(resource: HeldResource): boolean {
  return resource.isFixed;
}

/** Of the plugins that are left. */
function owedKeys({ attachment }: DeletionRecord): ReadonlySet<string> {
  const owed = owedIndexes(attachment);
  const held = heldResources(attachment).filter(({ usedBy }) => usedBy.some((index) => owed.includes(index)));
  return new Set(held.map(({ key }) => key));
}

function busy({ network, resource, deletion }: Obstacle, next: string): Failure {
  const debt = `deletion ${deletion.id} of network "${deletion.attachment.network}"`;
  return new Failure(
    "device-busy",
    `network "${network}": ${resource.text} still has a DEL owed by an earlier sandbox (${debt}); ${next}`,
    { retryAfterSeconds: 5 },
  );
}
