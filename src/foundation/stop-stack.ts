import { maxTimerMs } from "./abort.ts";

export interface Stoppable {
  stop(): Promise<unknown>;
}

/** One part did not stop: it failed (`cause`), or was not done in time. */
export class StopError extends Error {
  override readonly name = "StopError";
  readonly part: string;

  constructor(part: string, what: string, cause?: unknown) {
    super(`stopping ${part}: ${what}`, cause === undefined ? undefined : { cause });
    this.part = part;
  }
}

export interface StopOptions {
  /** Names the part in a `StopError`. */
  readonly name: string;
  /** After this the next part is stopped, whatever this one does. */
  readonly timeoutMs: number;
}

/** What was started, stopped in reverse order; no failure keeps another part from being stopped. */
export class StopStack implements Stoppable {
  readonly #parts: { readonly part: Stoppable; readonly options: StopOptions }[] = [];
  #stopped: Promise<readonly StopError[]> | undefined;

  /** Returns `part`. One that comes after `stop` was called is stopped as well. */
  push<T extends Stoppable>(part: T, options: StopOptions): T {
    this.#parts.push({ part, options });
    if (this.#stopped !== undefined) {
      this.#stopped = this.#stopped.then(async (failures) => [...failures, ...(await this.#drain())]);
    }
    return part;
  }

  /** Stops each part once and resolves with what went wrong; never rejects. Later calls get the same outcome. */
  async stop(): Promise<readonly StopError[]> {
    this.#stopped ??= this.#drain();
    return await this.#stopped;
  }

  async #drain(): Promise<readonly StopError[]> {
    const failures: StopError[] = [];
    for (let top = this.#parts.pop(); top !== undefined; top = this.#parts.pop()) {
      const failure = await stopOne(top.part, top.options);
      if (failure !== undefined) failures.push(failure);
    }
    return failures;
  }
}

async function stopOne(part: Stoppable, options: StopOptions): Promise<StopError | undefined> {
  const late = Promise.withResolvers<StopError>();
  const giveUp = () => late.resolve(new StopError(options.name, `not done in ${options.timeoutMs} ms`));
  const timer = setTimeout(giveUp, Math.min(options.timeoutMs, maxTimerMs));
  const stopping = attempt(part).then(
    () => undefined,
    (error: unknown) => new StopError(options.name, "failed", error),
  );
  try {
    return await Promise.race([stopping, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Also turns a synchronous throw into a rejection. */
async function attempt(part: Stoppable): Promise<void> {
  await part.stop();
}
