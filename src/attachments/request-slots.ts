import type { Deadline } from "../foundation/deadline.ts";
import { LaneQueue, QueueFullError, QueueTimeoutError, type Slot } from "../foundation/fair-queue.ts";
import { Failure } from "./failure.ts";
import type { Instruments } from "./instruments.ts";

export type Lane = "add" | "del" | "retry" | "other";

export interface SlotLimits {
  /** Requests that run plugins at the same time. */
  readonly concurrent: number;
  readonly reservedForDel: number;
  /** How many may wait in each lane. */
  readonly waiting: number;
}

/** Bounds how many requests run plugins at once, with lanes that cannot starve each other. */
export class RequestSlots {
  readonly #queue: LaneQueue<Lane>;
  readonly #instruments: Instruments;

  constructor(limits: SlotLimits, instruments: Instruments) {
    this.#instruments = instruments;
    this.#queue = new LaneQueue<Lane>({
      slots: limits.concurrent,
      reserved: { del: limits.reservedForDel },
      // Retries may hang for as long as a plugin may, and have time: the rest is for those who wait for an answer.
      shares: { retry: 0.5 },
      maxWaiting: limits.waiting,
    });
  }

  /** @throws {Failure} `too-busy`; an abort of `signal` rejects with its reason */
  async acquire(lane: Lane, deadline: Deadline, signal?: AbortSignal): Promise<Slot> {
    try {
      const slot = await this.#queue.acquire(lane, { timeoutMs: deadline.remainingMs(), signal });
      this.#instruments.queueWait(lane, slot.waitedMs / 1000);
      this.#instruments.delegatesRunning(this.#queue.running);
      return this.#counted(slot);
    } catch (error) {
      if (error instanceof QueueFullError || error instanceof QueueTimeoutError) {
        throw new Failure("too-busy", `the daemon is busy: ${error.message}; the runtime tries again`, {
          cause: error,
          retryAfterSeconds: 5,
        });
      }
      throw error;
    }
  }

  resize(concurrent: number): void {
    this.#queue.resize(concurrent);
  }

  #counted(slot: Slot): Slot {
    return {
      waitedMs: slot.waitedMs,
      release: () => {
        slot.release();
        this.#instruments.delegatesRunning(this.#queue.running);
      },
    };
  }
}
