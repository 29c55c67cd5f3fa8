import { maxTimerMs, throwIfAborted } from "./abort.ts";
import { monotonicNs, nsToMs } from "./clock.ts";

export interface Slot {
  readonly waitedMs: number;
  /** Gives the slot to the next one; a second call does nothing. */
  release(): void;
}

export interface LaneQueueOptions<L extends string> {
  /** How many hold a slot at once, over all lanes; at least 1. */
  readonly slots: number;
  /** Slots that only this lane may use. Cut down so that one slot always stays for everybody. */
  readonly reserved: Partial<Readonly<Record<L, number>>>;
  /** Share, 0 to 1, of what is not reserved that a lane may hold at most; one slot in any case. */
  readonly shares?: Partial<Readonly<Record<L, number>>>;
  /** How many may wait in each lane: a storm in one lane fills no other. */
  readonly maxWaiting: number;
}

export interface AcquireOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

/** As many wait in this lane as may. */
export class QueueFullError extends Error {
  override readonly name = "QueueFullError";
  readonly lane: string;
  readonly waiting: number;

  constructor(lane: string, waiting: number) {
    super(`${waiting} wait in lane "${lane}" already`);
    this.lane = lane;
    this.waiting = waiting;
  }
}

/** No slot came free in time. */
export class QueueTimeoutError extends Error {
  override readonly name = "QueueTimeoutError";
  readonly lane: string;
  readonly waitedMs: number;

  constructor(lane: string, waitedMs: number) {
    super(`no slot in lane "${lane}" within ${Math.round(waitedMs)} ms`);
    this.lane = lane;
    this.waitedMs = waitedMs;
  }
}

/**
 * A bounded number of slots. Inside a lane first come, first served; among lanes in turn, so that a thousand waiting
 * in one lane delay the first of another by one slot at most.
 */
export class LaneQueue<L extends string> {
  readonly #wanted: Partial<Readonly<Record<L, number>>>;
  readonly #shares: Partial<Readonly<Record<L, number>>>;
  readonly #maxWaiting: number;
  readonly #lanes = new Map<L, Lane>();
  #slots: number;
  #running = 0;
  /** Lane that was served last; the search for the next one starts behind it. */
  #served = -1;

  constructor(options: LaneQueueOptions<L>) {
    this.#wanted = options.reserved;
    this.#shares = options.shares ?? {};
    this.#maxWaiting = options.maxWaiting;
    this.#slots = atLeastOne(options.slots);
    for (const lane of Object.keys({ ...options.reserved, ...this.#shares }) as L[]) this.#lane(lane);
    this.#shareReserve();
  }

  get running(): number {
    return this.#running;
  }

  waiting(lane: L): number {
    return this.#lanes.get(lane)?.waiting.size ?? 0;
  }

  /**
   * Resolves with a slot that must be released.
   * @throws {QueueFullError} at once; {QueueTimeoutError} after `timeoutMs`; the signal's reason on abort.
   */
  async acquire(name: L, options: AcquireOptions = {}): Promise<Slot> {
    throwIfAborted(options.signal);
    const lane = this.#lane(name);
    if (lane.waiting.size === 0 && this.#mayStart(lane)) return this.#start(lane, 0);
    if (lane.waiting.size >= this.#maxWaiting) throw new QueueFullError(name, lane.waiting.size);
    const sinceNs = monotonicNs();
    await waitInLane(lane, name, options);
    return this.#slot(lane, nsToMs(monotonicNs() - sinceNs));
  }

  /** More slots serve who waits at once; fewer take effect as slots are released. */
  resize(slots: number): void {
    this.#slots = atLeastOne(slots);
    this.#shareReserve();
    this.#dispatch();
  }

  #lane(name: L): Lane {
    const known = this.#lanes.get(name);
    if (known !== undefined) return known;
    const lane: Lane = { running: 0, reserved: 0, most: Number.POSITIVE_INFINITY, waiting: new Set() };
    this.#lanes.set(name, lane);
    return lane;
  }

  #shareReserve(): void {
    let left = this.#slots - 1;
    for (const [name, lane] of this.#lanes) {
      lane.reserved = Math.min(this.#wanted[name] ?? 0, left);
      left -= lane.reserved;
    }
    for (const [name, lane] of this.#lanes) {
      const share = this.#shares[name];
      if (share !== undefined) lane.most = Math.max(1, Math.floor((left + 1) * share));
    }
  }

  #mayStart(lane: Lane): boolean {
    if (lane.running >= lane.most) return false;
    let keptForOthers = 0;
    for (const other of this.#lanes.values()) {
      if (other !== lane) keptForOthers += Math.max(0, other.reserved - other.running);
    }
    return this.#running + keptForOthers < this.#slots;
  }

  #start(lane: Lane, waitedMs: number): Slot {
    this.#running += 1;
    lane.running += 1;
    return this.#slot(lane, waitedMs);
  }

  #slot(lane: Lane, waitedMs: number): Slot {
    let held = true;
    return {
      waitedMs,
      release: () => {
        if (!held) return;
        held = false;
        this.#running -= 1;
        lane.running -= 1;
        this.#dispatch();
      },
    };
  }

  #dispatch(): void {
    for (let next = this.#nextLane(); next !== undefined; next = this.#nextLane()) {
      const [admit] = next.waiting;
      if (admit === undefined) return;
      next.waiting.delete(admit);
      this.#running += 1;
      next.running += 1;
      admit();
    }
  }

  #nextLane(): Lane | undefined {
    const lanes = [...this.#lanes.values()];
    for (let step = 1; step <= lanes.length; step += 1) {
      const index = (this.#served + step) % lanes.length;
      const lane = lanes[index];
      if (lane === undefined || lane.waiting.size === 0 || !this.#mayStart(lane)) continue;
      this.#served = index;
      return lane;
    }
    return undefined;
  }
}

interface Lane {
  running: number;
  reserved: number;
  most: number;
  /** Taken out and called by who hands over a slot, which is counted as running by then. */
  readonly waiting: Set<() => void>;
}

function waitInLane(lane: Lane, name: string, { signal, timeoutMs }: AcquireOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const sinceNs = monotonicNs();
    const settle = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abandon);
    };
    const admit = () => {
      settle();
      resolve();
    };
    const giveUp = (reason: unknown) => {
      if (!lane.waiting.delete(admit)) return;
      settle();
      reject(reason);
    };
    const abandon = () => giveUp(signal?.reason);
    lane.waiting.add(admit);
    signal?.addEventListener("abort", abandon, { once: true });
    if (timeoutMs === undefined) return;
    const expire = () => giveUp(new QueueTimeoutError(name, nsToMs(monotonicNs() - sinceNs)));
    timer = setTimeout(expire, Math.min(Math.max(0, timeoutMs), maxTimerMs));
    timer.unref();
  });
}

function atLeastOne(slots: number): number {
  return Math.max(1, Math.floor(slots));
}
