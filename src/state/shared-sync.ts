/**
 * Joins the syncs that several writers of one directory want: a call resolves after a run of `sync` that began after
 * the call. While one run is under way all who come share the next, so a storm of writes costs two runs in a row, not
 * one for each writer.
 */
export class SharedSync {
  readonly #sync: () => Promise<void>;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(sync: () => Promise<void>) {
    this.#sync = sync;
  }

  async run(): Promise<void> {
    if (this.#running === undefined) {
      await this.#start();
      return;
    }
    // A failure of the run before is its own callers' alone.
    this.#next ??= this.#running.catch(() => undefined).then(() => this.#start());
    await this.#next;
  }

  async #start(): Promise<void> {
    this.#next = undefined;
    const running = this.#sync();
    this.#running = running;
    try {
      await running;
    } finally {
      if (this.#running === running) this.#running = undefined;
    }
  }
}
