import type { FlightRecorder } from "../attachments/flight-recorder.ts";
import type { StepView } from "../attachments/views.ts";

export interface FlightRecorderBounds {
  /** Of all pods together. */
  readonly maxSteps: number;
  readonly maxStepsPerPod: number;
}

/** Keeps the latest steps in memory; the pod that was silent longest loses its oldest first. */
export function createFlightRecorder(
  { maxSteps, maxStepsPerPod }: FlightRecorderBounds = { maxSteps: 10_000, maxStepsPerPod: 100 },
): FlightRecorder {
  /** In the order of each pod's latest step. */
  const byPod = new Map<string, StepView[]>();
  let total = 0;

  function dropOldest(key: string, steps: StepView[]): void {
    steps.shift();
    total -= 1;
    if (steps.length === 0) byPod.delete(key);
  }

  return {
    record(pod, step) {
      if (pod === undefined) return;
      const key = podKey(pod);
      const steps = byPod.get(key) ?? [];
      byPod.delete(key);
      byPod.set(key, steps);
      steps.push({ ...step, text: step.text.slice(0, maxTextLength) });
      total += 1;
      if (steps.length > maxStepsPerPod) dropOldest(key, steps);
      while (total > maxSteps) {
        const [oldest] = byPod;
        if (oldest === undefined) return;
        dropOldest(...oldest);
      }
    },
    stepsOf: (pod) => [...(byPod.get(podKey(pod)) ?? [])],
  };
}

/** A plugin's error text may be of any length. */
const maxTextLength = 1024;

function podKey({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}
