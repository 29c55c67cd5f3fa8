import { ExclusiveGate } from "../foundation/exclusive-gate.ts";
import { KeyedQueue } from "../foundation/keyed-queue.ts";
import { type Generation, isOlder } from "./sandbox.ts";

/** Whose request it is, and when it began. */
export interface SandboxRequest {
  readonly containerId: string;
  readonly generation: Generation;
}

interface RunningAdd {
  readonly generation: Generation;
  readonly superseded: AbortController;
}

/** Reason of an ADD's signal when the runtime sent a DEL of the same sandbox meanwhile. */
export class SupersededByDeleteError extends Error {
  override readonly name = "SupersededByDeleteError";

  constructor() {
    super("a DEL of the same sandbox arrived while its ADD was under way");
  }
}

/**
 * Who may touch a sandbox: its requests run one after another, whatever their interface (SPEC.md §3 "Lifecycle &
 * Ordering"); a DEL ends an ADD that is under way first; GC of a network runs alone on that network.
 */
export class SandboxTurns {
  readonly #queue = new KeyedQueue();
  readonly #adds = new Map<string, Set<RunningAdd>>();
  readonly #gates = new Map<string, NetworkGate>();

  /** Runs an ADD; `task` gets a signal that is aborted when the caller goes or a DEL arrives. */
  async runAdd<T>(
    { containerId, generation }: SandboxRequest,
    caller: AbortSignal,
    task: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const superseded = new AbortController();
    const signal = AbortSignal.any([caller, superseded.signal]);
    const running = this.#adds.get(containerId) ?? new Set();
    const own = { generation, superseded };
    this.#adds.set(containerId, running.add(own));
    try {
      return await this.#queue.run(containerId, () => task(signal), signal);
    } finally {
      running.delete(own);
      if (running.size === 0) this.#adds.delete(containerId);
    }
  }

  /**
   * Runs a runtime's DEL: every ADD of the sandbox that began before it is cancelled, and undone before `task` runs.
   * An ADD that began after a late DEL is not its business. Once `patience` is aborted, a DEL that still waits for its
   * turn rejects with the reason and never runs.
   */
  async runDelete<T>(
    { containerId, generation }: SandboxRequest,
    bootId: string,
    patience: AbortSignal,
    task: () => Promise<T>,
  ): Promise<T> {
    for (const running of this.#adds.get(containerId) ?? []) {
      if (!isOlder(generation, running.generation, bootId))
        running.superseded.abort(new SupersededByDeleteError());
    }
    return await this.#queue.run(containerId, task, patience);
  }

  /** Runs anything else that must not run beside the sandbox's ADD or DEL. `patience` as for `runDelete`. */
  async run<T>(containerId: string, task: () => Promise<T>, patience?: AbortSignal): Promise<T> {
    return await this.#queue.run(containerId, task, patience);
  }

  /** True from the moment an ADD arrived until it is done or undone. */
  isAdding(containerId: string): boolean {
    return this.#adds.has(containerId);
  }

  isBusy(containerId: string): boolean {
    return this.#queue.isBusy(containerId);
  }

  /** Runs `task` inside all of these networks: many at once, never beside their GC. */
  async insideNetworks<T>(networks: readonly string[], task: () => Promise<T>): Promise<T> {
    const entered: NetworkGate[] = [];
    try {
      // Sorted, so that two tasks never wait for each other's second gate.
      for (const network of [...new Set(networks)].sort()) {
        const gate = this.#gate(network);
        await gate.gate.enter();
        entered.push(gate);
      }
      return await task();
    } finally {
      for (const gate of entered) {
        gate.gate.leave();
        this.#release(gate);
      }
    }
  }

  /** Runs `task` when no ADD or DEL of the network does. */
  async aloneOnNetwork<T>(network: string, signal: AbortSignal, task: () => Promise<T>): Promise<T> {
    const gate = this.#gate(network);
    try {
      await gate.gate.enterAlone(signal);
      try {
        return await task();
      } finally {
        gate.gate.leaveAlone();
      }
    } finally {
      this.#release(gate);
    }
  }

  async waitIdle(): Promise<void> {
    await this.#queue.waitIdle();
  }

  #gate(network: string): NetworkGate {
    const gate = this.#gates.get(network) ?? { network, gate: new ExclusiveGate(), users: 0 };
    gate.users += 1;
    this.#gates.set(network, gate);
    return gate;
  }

  #release(gate: NetworkGate): void {
    gate.users -= 1;
    if (gate.users === 0) this.#gates.delete(gate.network);
  }
}

interface NetworkGate {
  readonly network: string;
  readonly gate: ExclusiveGate;
  users: number;
}
