import { abortable, delay } from "../foundation/abort.ts";
import { type EndedGroup, HostConnection } from "./host-connection.ts";
import { HostLostError } from "./host-errors.ts";
import type { HostProgram } from "./host-process.ts";

/** A new host took the place of one that was lost. */
export interface HostRestart {
  readonly reason: HostLostError;
  readonly ended: readonly EndedGroup[];
}

export interface SupervisorOptions extends HostProgram {
  readonly onRestart?: (restart: HostRestart) => void;
}

/** A life shorter than this counts as a failed start. */
const stableMs = 10_000;
const firstWaitMs = 50;
const longestWaitMs = 5_000;

/** Keeps one `multus-host` running: at once after the first loss, with growing waits (up to 5 s) while it keeps dying. */
export class HostSupervisor {
  readonly endedAtStart: readonly EndedGroup[];
  readonly #options: SupervisorOptions;
  readonly #stopped = new AbortController();
  readonly #finished: Promise<void>;
  #connection: HostConnection | undefined;
  #next = Promise.withResolvers<HostConnection>();
  #quickLosses = 0;

  private constructor(options: SupervisorOptions, first: HostConnection) {
    this.endedAtStart = first.endedBefore;
    this.#options = options;
    this.#adopt(first);
    this.#finished = this.#supervise(first);
  }

  /** @throws {HostLostError} if the first start fails */
  static async start(options: SupervisorOptions): Promise<HostSupervisor> {
    return new HostSupervisor(options, await HostConnection.start(options));
  }

  get isRunning(): boolean {
    return this.#connection !== undefined;
  }

  /**
   * The running host, or the next one as soon as it runs. Rejects with the signal's reason, or with a `HostLostError`
   * once `stop` was called.
   */
  async connection(signal: AbortSignal): Promise<HostConnection> {
    return this.#connection ?? (await abortable(this.#next.promise, signal));
  }

  /** Ends the host and all that it runs. */
  async stop(): Promise<void> {
    this.#stopped.abort(new HostLostError("was stopped"));
    await this.#connection?.end();
    await this.#finished;
  }

  #adopt(connection: HostConnection): void {
    this.#connection = connection;
    this.#next.resolve(connection);
  }

  async #supervise(first: HostConnection): Promise<void> {
    let current: HostConnection | undefined = first;
    while (current !== undefined) {
      const startedMs = performance.now();
      const reason: HostLostError = await current.lost;
      this.#connection = undefined;
      this.#next = Promise.withResolvers();
      this.#next.promise.catch(() => undefined);
      if (performance.now() - startedMs > stableMs) this.#quickLosses = 0;
      current = await this.#replace(reason);
    }
    this.#next.reject(this.#stopped.signal.reason);
  }

  /** `undefined` once the supervisor is stopped. */
  async #replace(reason: HostLostError): Promise<HostConnection | undefined> {
    const { log } = this.#options;
    const { signal } = this.#stopped;
    let lost = reason;
    while (!signal.aborted) {
      const waitMs = this.#nextWaitMs();
      log.error({ err: lost, waitMs }, "multus-host lost, starting a new one");
      await delay(waitMs, signal).catch(() => undefined);
      if (signal.aborted) return undefined;
      const started = await HostConnection.start(this.#options).catch(asLost);
      if (started instanceof HostConnection) {
        if (signal.aborted) {
          await started.end();
          return undefined;
        }
        this.#adopt(started);
        log.info({ ended: started.endedBefore }, "multus-host runs again");
        this.#tell({ reason, ended: started.endedBefore });
        return started;
      }
      lost = started;
    }
    return undefined;
  }

  #tell(restart: HostRestart): void {
    try {
      this.#options.onRestart?.(restart);
    } catch (err) {
      this.#options.log.error({ err }, "listener for restarts of multus-host failed");
    }
  }

  #nextWaitMs(): number {
    const losses = this.#quickLosses++;
    return losses === 0 ? 0 : Math.min(firstWaitMs * 2 ** (losses - 1), longestWaitMs);
  }
}

function asLost(error: unknown): HostLostError {
  return error instanceof HostLostError ? error : new HostLostError("could not be started", error);
}
