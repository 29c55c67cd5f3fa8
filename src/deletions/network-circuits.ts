import { monotonicNs } from "../foundation/clock.ts";

interface Circuit {
  running: number;
  /** Deletions that failed since the last success. */
  readonly failed: Set<string>;
  nextProbeNs: bigint;
}

/** So many different deletions of a network must fail, without a success between, before it counts as down. */
const failuresUntilDown = 5;
/** Tries at one network beside each other: one that hangs must leave room for the debts of others. */
const triesAtOnce = 4;
/** Rest between two probes: thousands of debts would else ask a network that is down without a pause. */
const probeGapNs = 1_000_000_000n;

/** Which networks are down: they are asked by one probe at a time instead of by all of their debts. */
export class NetworkCircuits {
  readonly #circuits = new Map<string, Circuit>();

  /** @param most tries beside each other that the operator allows for this network */
  mayTry(network: string, most = triesAtOnce): boolean {
    const circuit = this.#circuits.get(network);
    if (circuit === undefined) return true;
    if (circuit.failed.size < failuresUntilDown) return circuit.running < Math.min(most, triesAtOnce);
    return circuit.running === 0 && monotonicNs() >= circuit.nextProbeNs;
  }

  isDown(network: string): boolean {
    return (this.#circuits.get(network)?.failed.size ?? 0) >= failuresUntilDown;
  }

  /** When a network that may not be tried now may be; `undefined`: when one of its tries has ended. */
  nextProbeNs(network: string): bigint | undefined {
    const circuit = this.#circuits.get(network);
    return circuit === undefined || circuit.running > 0 ? undefined : circuit.nextProbeNs;
  }

  begin(network: string): void {
    const circuit = this.#circuits.get(network) ?? { running: 0, failed: new Set(), nextProbeNs: 0n };
    circuit.running += 1;
    this.#circuits.set(network, circuit);
  }

  end(network: string): void {
    const circuit = this.#circuits.get(network);
    if (circuit === undefined) return;
    circuit.running -= 1;
    if (circuit.running === 0 && circuit.failed.size === 0) this.#circuits.delete(network);
  }

  failed(network: string, deletionId: string): void {
    const circuit = this.#circuits.get(network);
    if (circuit === undefined) return;
    circuit.nextProbeNs = monotonicNs() + probeGapNs;
    if (circuit.failed.size < failuresUntilDown) circuit.failed.add(deletionId);
  }

  /** True if the network counted as down until now. */
  succeeded(network: string): boolean {
    const circuit = this.#circuits.get(network);
    if (circuit === undefined) return false;
    const wasDown = circuit.failed.size >= failuresUntilDown;
    circuit.failed.clear();
    if (circuit.running === 0) this.#circuits.delete(network);
    return wasDown;
  }
}
