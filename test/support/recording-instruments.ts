import type { FlightRecorder } from "../../src/attachments/flight-recorder.ts";
import type { Instruments } from "../../src/attachments/instruments.ts";
import type { PodReference } from "../../src/attachments/sandbox.ts";
import type { StepView } from "../../src/attachments/views.ts";

type Facts<Name extends keyof Instruments> = Parameters<Instruments[Name]>;

/** Keeps what was counted. */
export class RecordingInstruments implements Instruments {
  readonly requests: Facts<"cniRequest">[0][] = [];
  readonly delFailures: Facts<"delFailure">[0][] = [];
  readonly retries: string[] = [];
  readonly dead: string[] = [];
  readonly archived: string[] = [];
  readonly corrupt: string[] = [];
  readonly seen: string[] = [];
  spooled = 0;
  owed: Facts<"deletionsOwed">[0] = [];

  cniRequest(facts: Facts<"cniRequest">[0]): void {
    this.requests.push(facts);
  }

  delegateExecution(): void {}

  delFailure(facts: Facts<"delFailure">[0]): void {
    this.delFailures.push(facts);
  }

  networkSeen(network: string): void {
    this.seen.push(network);
  }

  deletionRetry(network: string, outcome: string): void {
    this.retries.push(`${network} ${outcome}`);
  }

  deletionDead(network: string, reason: string): void {
    this.dead.push(`${network} ${reason}`);
  }

  deletionArchived(network: string): void {
    this.archived.push(network);
  }

  deletionsOwed(counts: Facts<"deletionsOwed">[0]): void {
    this.owed = counts;
  }

  spooledDeletion(): void {
    this.spooled += 1;
  }

  stateCorrupt(kind: string): void {
    this.corrupt.push(kind);
  }

  sandboxes(): void {}

  queueWait(): void {}

  delegatesRunning(): void {}
}

/** Remembers the steps of each pod. */
export class RecordingFlightRecorder implements FlightRecorder {
  readonly #steps: (readonly [string, StepView])[] = [];

  record(pod: PodReference | undefined, step: StepView): void {
    this.#steps.push([pod === undefined ? "" : `${pod.namespace}/${pod.name}`, step]);
  }

  stepsOf({ namespace, name }: { readonly namespace: string; readonly name: string }): readonly StepView[] {
    return this.#steps.filter(([pod]) => pod === `${namespace}/${name}`).map(([, step]) => step);
  }
}
