import { Failure } from "../attachments/failure.ts";

/** What the server still takes, and what it has taken and not finished. */
export class Intake {
  #running = 0;
  #isDraining = false;
  #idle = Promise.withResolvers<void>();

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** How many tasks of `run` are not finished. */
  get running(): number {
    return this.#running;
  }

  /** From now on `assertOpen` refuses. */
  drain(): void {
    this.#isDraining = true;
  }

  /** @throws {Failure} `not-ready` while draining */
  assertOpen(): void {
    if (!this.#isDraining) return;
    throw new Failure("not-ready", "multusd on this node is stopping; its successor will take this request", {
      retryAfterSeconds: 5,
    });
  }

  /** Counts `task` as running until it settles, whether or not its caller waits for it. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    this.#running += 1;
    try {
      return await task();
    } finally {
      this.#running -= 1;
      if (this.#running === 0) {
        this.#idle.resolve();
        this.#idle = Promise.withResolvers();
      }
    }
  }

  /** Resolves at the next moment at which nothing runs. */
  async whenIdle(): Promise<void> {
    if (this.#running > 0) await this.#idle.promise;
  }
}
