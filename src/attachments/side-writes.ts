/**
 * Files of an ADD that nothing waits for but its end: written while plugins run, and all done before the ADD is
 * answered or undone. So none of them costs the caller a wait of its own.
 */
export class SideWrites {
  readonly #writes: Promise<void>[] = [];

  begin(write: Promise<void>): void {
    // Whoever calls `finish` hears of it; until then a failure must not count as nobody's.
    write.catch(() => undefined);
    this.#writes.push(write);
  }

  /** Nothing is being written any more when it settles. Rejects with the first failure. */
  async finish(): Promise<void> {
    const outcomes = await Promise.allSettled(this.#writes);
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  }
}
