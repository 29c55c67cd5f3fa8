import type { CniRuntime, PluginRun } from "../cni/index.ts";
import type { FlightRecorder } from "./flight-recorder.ts";
import type { Instruments } from "./instruments.ts";
import type { BootClock } from "./ports.ts";
import type { PodReference } from "./sandbox.ts";

/** What each use case needs to run plugins and to tell about it. */
export interface DelegateTools {
  readonly cni: CniRuntime;
  readonly instruments: Instruments;
  readonly recorder: FlightRecorder;
  readonly clock: BootClock;
}

/** Whose plugins run: for metrics and `explain`. */
export interface DelegateContext {
  readonly network: string;
  readonly pod: PodReference | undefined;
  readonly requestId: string;
}

/** A CNI runtime that counts and remembers every plugin run of one network. */
export function observedRuntime(tools: DelegateTools, context: DelegateContext): CniRuntime {
  return {
    ...tools.cni,
    onPluginRun: (run) => {
      observe(tools, context, run);
      tools.cni.onPluginRun?.(run);
    },
  };
}

function observe(tools: DelegateTools, context: DelegateContext, run: PluginRun): void {
  const outcome = outcomeOf(run);
  const { network, requestId } = context;
  tools.instruments.delegateExecution({
    network,
    plugin: run.plugin,
    command: run.command,
    outcome,
    seconds: run.seconds,
  });
  tools.recorder.record(context.pod, {
    at: tools.clock.nowText(),
    requestId,
    command: run.command,
    step: `plugin ${run.plugin}`,
    network,
    outcome,
    durationMs: Math.round(run.seconds * 1000),
    text: describeRun(run),
  });
}

type ExecutionOutcome = Parameters<Instruments["delegateExecution"]>[0]["outcome"];

function outcomeOf(run: PluginRun): ExecutionOutcome {
  switch (run.outcome.kind) {
    case "exited":
      return run.outcome.exitCode === 0 ? "success" : "error";
    case "timed-out":
      return "timeout";
    case "killed":
    case "executor-lost":
      return "killed";
    case "not-started":
      return "not-started";
    case "cancelled":
      return "cancelled";
  }
}

function describeRun(run: PluginRun): string {
  const { outcome } = run;
  switch (outcome.kind) {
    case "exited":
      return `exit status ${outcome.exitCode}`;
    case "killed":
      return `signal ${outcome.signal}`;
    case "timed-out":
      return `ended after ${outcome.timeoutMs} ms`;
    case "not-started":
    case "executor-lost":
      return outcome.message;
    case "cancelled":
      return "cancelled";
  }
}
