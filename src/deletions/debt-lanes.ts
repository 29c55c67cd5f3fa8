import { DueQueue } from "./due-queue.ts";

/**
 * What waits for its next try, a queue for each network: debts of a network that may not be tried cost nothing while
 * they wait, and none of them is in the way of another network's.
 */
export class DebtLanes {
  readonly #lanes = new Map<string, DueQueue>();
  readonly #networkOf = new Map<string, string>();

  get size(): number {
    return this.#networkOf.size;
  }

  set(id: string, network: string, dueNs: bigint): void {
    const lane = this.#lanes.get(network) ?? new DueQueue();
    this.#lanes.set(network, lane);
    this.#networkOf.set(id, network);
    lane.set(id, dueNs);
  }

  delete(id: string): void {
    const network = this.#networkOf.get(id);
    if (network === undefined) return;
    this.#networkOf.delete(id);
    const lane = this.#lanes.get(network);
    lane?.delete(id);
    if (lane?.size === 0) this.#lanes.delete(network);
  }

  dueNs(id: string): bigint | undefined {
    const network = this.#networkOf.get(id);
    return network === undefined ? undefined : this.#lanes.get(network)?.dueNs(id);
  }

  /** All of the network's debts are due at `nowNs` at the latest. */
  advance(network: string, nowNs: bigint): void {
    this.#lanes.get(network)?.advanceAll(nowNs);
  }

  /** The earliest debt of each network; the network that was served last comes last. */
  heads(): readonly DebtHead[] {
    const heads: DebtHead[] = [];
    for (const [network, lane] of this.#lanes) {
      const head = lane.peek();
      if (head !== undefined) heads.push({ network, ...head });
    }
    return heads;
  }

  served(network: string): void {
    const lane = this.#lanes.get(network);
    if (lane === undefined) return;
    this.#lanes.delete(network);
    this.#lanes.set(network, lane);
  }
}

export interface DebtHead {
  readonly network: string;
  readonly id: string;
  readonly dueNs: bigint;
}
