import type { CniResult, ResultCache } from "../cni/index.ts";
import type { Delegate } from "./delegate.ts";
import { Failure } from "./failure.ts";

/**
 * The result cache records of one ADD (libcni writes each before it goes on): written while the next network is being
 * attached, and all on disk before the ADD is done or undone. So none of them costs its caller a wait of its own.
 */
export class CacheWrites {
  readonly #cache: ResultCache | undefined;
  readonly #writes: Promise<void>[] = [];

  constructor(cache: ResultCache | undefined) {
    this.#cache = cache;
  }

  begin({ attachment, list, network }: Delegate, result: CniResult): void {
    const { containerId, ifName, netns, args, capabilityArgs } = attachment;
    const record = {
      networkName: list.name,
      containerId,
      ifName,
      netns,
      config: list.text,
      args,
      capabilityArgs,
      result,
    };
    const write = this.#cache?.write(record).catch((cause: unknown) => {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new Failure("storage-failed", `network "${network}": its result cannot be cached: ${reason}`, {
        cause,
      });
    });
    if (write === undefined) return;
    // Whoever waits for it hears of it; until then a failure must not count as nobody's.
    write.catch(() => undefined);
    this.#writes.push(write);
  }

  /** Nothing is being written any more when it resolves. @throws {Failure} `storage-failed`, the first one */
  async finish(): Promise<void> {
    const outcomes = await Promise.allSettled(this.#writes);
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  }
}
