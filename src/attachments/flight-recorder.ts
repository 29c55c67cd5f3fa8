import type { PodReference } from "./sandbox.ts";
import type { StepView } from "./views.ts";

/** Remembers each step of the latest requests of a pod, for `explain`. Bounded; never throws. */
export interface FlightRecorder {
  record(pod: PodReference | undefined, step: StepView): void;
  /** Oldest first. */
  stepsOf(pod: { readonly namespace: string; readonly name: string }): readonly StepView[];
}
