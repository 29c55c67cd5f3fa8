import { KeyedQueue } from "../foundation/keyed-queue.ts";
import type { HeldResource } from "./held-resources.ts";

/**
 * One lock for each device and each address that is known before an ADD. Whoever holds some must not ask for more: all
 * that a task needs are taken together, in one order for everybody, so that no two wait for each other.
 */
export class ResourceLocks {
  readonly #queue = new KeyedQueue();

  /** Rejects with the signal's reason if it is aborted while the locks are waited for; `task` never runs then. */
  async holding<T>(
    resources: readonly HeldResource[],
    signal: AbortSignal | undefined,
    task: () => Promise<T>,
  ): Promise<T> {
    const keys = [...new Set(resources.filter(({ isFixed }) => isFixed).map(({ key }) => key))].sort();
    return await this.#take(keys, signal, task);
  }

  async #take<T>(
    keys: readonly string[],
    signal: AbortSignal | undefined,
    task: () => Promise<T>,
  ): Promise<T> {
    const [first, ...others] = keys;
    if (first === undefined) return await task();
    return await this.#queue.run(first, () => this.#take(others, signal, task), signal);
  }
}
