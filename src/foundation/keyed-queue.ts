import { throwIfAborted } from "./abort.ts";
import { ExclusiveGate } from "./exclusive-gate.ts";

/**
 * Tasks of one key run one after another in the order of their calls, failures included; different keys run side by
 * side. A task must not call `run` or `runExclusive` of the same queue and wait for it: it would wait for itself.
 */
export class KeyedQueue {
  readonly #last = new Map<string, Promise<void>>();
  readonly #exclusive = new Set<Promise<void>>();
  readonly #gate = new ExclusiveGate();

  /**
   * Settles as `task` does. `signal` counts only while the task waits for its turn: the promise then rejects at once
   * with the signal's reason and the task never runs; a task that has begun must watch the signal itself.
   */
  async run<T>(key: string, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    throwIfAborted(signal);
    const answer = Promise.withResolvers<T>();
    const abandon = () => answer.reject(signal?.reason);
    signal?.addEventListener("abort", abandon, { once: true });
    const onStart = () => signal?.removeEventListener("abort", abandon);
    const turn = this.#takeTurn(this.#last.get(key), onStart, task, signal);
    turn.then(answer.resolve, answer.reject);
    const ended = turn.then(ignore, ignore);
    this.#last.set(key, ended);
    ended.then(() => {
      if (this.#last.get(key) === ended) this.#last.delete(key);
    });
    return await answer.promise;
  }

  /**
   * Runs `task` while nothing else of this queue runs: waits for what has begun and holds off what has not. Waiting
   * keys and waiting exclusive tasks take turns, so neither starves. `signal` as for `run`.
   */
  async runExclusive<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const turn = this.#takeExclusiveTurn(task, signal);
    const ended = turn.then(ignore, ignore);
    this.#exclusive.add(ended);
    ended.then(() => this.#exclusive.delete(ended));
    return await turn;
  }

  /** True while a task of `key` runs or waits. */
  isBusy(key: string): boolean {
    return this.#last.has(key);
  }

  /** Number of keys that have a task which runs or waits. */
  get busyKeys(): number {
    return this.#last.size;
  }

  /** Resolves when nothing runs or waits, what is added meanwhile included. */
  async waitIdle(): Promise<void> {
    while (this.#last.size + this.#exclusive.size > 0) {
      await Promise.all([...this.#last.values(), ...this.#exclusive]);
    }
  }

  async #takeTurn<T>(
    previous: Promise<void> | undefined,
    onStart: () => void,
    task: () => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    await previous;
    await this.#gate.enter(signal);
    try {
      throwIfAborted(signal);
      onStart();
      return await task();
    } finally {
      this.#gate.leave();
    }
  }

  async #takeExclusiveTurn<T>(task: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    await this.#gate.enterAlone(signal);
    try {
      throwIfAborted(signal);
      return await task();
    } finally {
      this.#gate.leaveAlone();
    }
  }
}

function ignore(): void {}
