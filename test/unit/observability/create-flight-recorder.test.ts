import { describe, expect, it } from "vitest";
import type { StepView } from "../../../src/attachments/views.ts";
import { createFlightRecorder } from "../../../src/observability/create-flight-recorder.ts";

function step(text: string): StepView {
  return {
    at: "2026-01-01T00:00:00Z",
    requestId: "r",
    command: "ADD",
    step: "plugin",
    network: "n",
    outcome: "success",
    durationMs: 1,
    text,
  };
}

const pod = (name: string) => ({ namespace: "default", name });

describe("the flight recorder", () => {
  it("gives a pod's steps in order, and no other pod's", () => {
    const recorder = createFlightRecorder();
    recorder.record(pod("a"), step("1"));
    recorder.record(pod("b"), step("2"));
    recorder.record(pod("a"), step("3"));
    recorder.record(undefined, step("4"));
    expect(recorder.stepsOf(pod("a")).map(({ text }) => text)).toEqual(["1", "3"]);
    expect(recorder.stepsOf(pod("c"))).toEqual([]);
  });

  it("keeps the latest steps of a pod that has many", () => {
    const recorder = createFlightRecorder({ maxSteps: 100, maxStepsPerPod: 3 });
    for (const text of ["1", "2", "3", "4", "5"]) recorder.record(pod("a"), step(text));
    expect(recorder.stepsOf(pod("a")).map(({ text }) => text)).toEqual(["3", "4", "5"]);
  });

  it("forgets the pod that was silent longest when there are too many steps in all", () => {
    const recorder = createFlightRecorder({ maxSteps: 4, maxStepsPerPod: 3 });
    recorder.record(pod("old"), step("1"));
    recorder.record(pod("busy"), step("2"));
    recorder.record(pod("old"), step("3"));
    recorder.record(pod("new"), step("4"));
    recorder.record(pod("new"), step("5"));
    expect(recorder.stepsOf(pod("busy"))).toEqual([]);
    expect(recorder.stepsOf(pod("old"))).toHaveLength(2);
    expect(recorder.stepsOf(pod("new"))).toHaveLength(2);
  });

  it("holds no more than it may, whatever comes", () => {
    const recorder = createFlightRecorder({ maxSteps: 50, maxStepsPerPod: 10 });
    for (let index = 0; index < 5000; index += 1)
      recorder.record(pod(`p${index % 37}`), step("x".repeat(5000)));
    const kept = Array.from({ length: 37 }, (_, index) => recorder.stepsOf(pod(`p${index}`))).flat();
    expect(kept).toHaveLength(50);
    expect(Math.max(...kept.map(({ text }) => text.length))).toBeLessThanOrEqual(1024);
  });
});
