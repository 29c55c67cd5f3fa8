import type {
  ExecutePlugin,
  PluginInvocation,
  PluginOutcome,
  PluginOutput,
} from "../../src/cni/execute-plugin.ts";

/** What a scripted plugin does. Without more it exits with 0 at once and prints nothing. */
export interface PluginScript {
  readonly stdout?: string;
  readonly stderr?: string;
  readonly exitCode?: number;
  /** Ends by this signal instead of exiting. */
  readonly signal?: string;
  /** How long it runs; `forever` until it is cancelled or out of time. */
  readonly takesMs?: number | "forever";
}

/** A script, a whole outcome, or either as it depends on how it is called. */
export type PluginBehaviour =
  | PluginScript
  | { readonly outcome: PluginOutcome }
  | ((invocation: PluginInvocation) => PluginScript | { readonly outcome: PluginOutcome });

/** `ExecutePlugin` without processes: plugins are what `behaviours` says of their path, any other path is missing. */
export class FakeExecutePlugin {
  /** Every invocation, in order of its start; cancelled before the start leaves none. */
  readonly invocations: PluginInvocation[] = [];
  readonly #behaviours = new Map<string, PluginBehaviour>();

  readonly execute: ExecutePlugin = async (invocation, signal) => {
    if (signal?.aborted === true) return { kind: "cancelled", output: output({}, 0) };
    this.invocations.push(invocation);
    const behaviour = this.#behaviours.get(invocation.path);
    if (behaviour === undefined) return missing(invocation.path);
    const script = typeof behaviour === "function" ? behaviour(invocation) : behaviour;
    if ("outcome" in script) return script.outcome;
    return await perform(script, invocation, signal);
  };

  /** Replaces what the plugin at `path` did before. */
  set(path: string, behaviour: PluginBehaviour): void {
    this.#behaviours.set(path, behaviour);
  }
}

async function perform(
  script: PluginScript,
  { timeoutMs }: PluginInvocation,
  signal: AbortSignal | undefined,
): Promise<PluginOutcome> {
  const takesMs = script.takesMs ?? 0;
  const isOverdue = takesMs === "forever" || takesMs > timeoutMs;
  const wallMs = isOverdue ? timeoutMs : takesMs;
  const startedMs = performance.now();
  if (await isAbortedWithin(wallMs, signal)) {
    return { kind: "cancelled", output: output(script, performance.now() - startedMs) };
  }
  if (isOverdue) return { kind: "timed-out", timeoutMs, output: output(script, wallMs) };
  if (script.signal !== undefined)
    return { kind: "killed", signal: script.signal, output: output(script, wallMs) };
  return { kind: "exited", exitCode: script.exitCode ?? 0, output: output(script, wallMs) };
}

async function isAbortedWithin(ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, ms, false);
  const abort = () => resolve(true);
  signal?.addEventListener("abort", abort, { once: true });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

function output({ stdout = "", stderr = "" }: PluginScript, wallMs: number): PluginOutput {
  return { stdout, stdoutTruncated: false, stderr, wallMs, maxRssKib: 1024 };
}

function missing(path: string): PluginOutcome {
  const message = `fork/exec ${path}: no such file or directory`;
  return { kind: "not-started", reason: "not-found", errno: "ENOENT", message };
}
