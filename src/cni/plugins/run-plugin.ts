import type { PluginConfiguration } from "../configuration/network-list.ts";
import { CniCode } from "../errors/cni-code.ts";
import { goQuote } from "../errors/go-quote.ts";
import { PluginFailedError, type PluginFailureKind } from "../errors/plugin-errors.ts";
import type { PluginOutcome, PluginOutput } from "../execute-plugin.ts";
import type { CniVerb } from "../verbs/cni-verb.ts";
import type { CniRuntime, PluginSearch, RunLimits } from "./cni-runtime.ts";
import { findPlugin } from "./find-plugin.ts";
import { type CniParameters, pluginEnvironment } from "./plugin-environment.ts";
import { pluginFailure } from "./plugin-failure.ts";

/** One plugin of a list and what it is to do. */
export interface PluginTask {
  readonly listName: string;
  readonly plugin: Pick<PluginConfiguration, "type">;
  readonly index: number;
  readonly command: CniVerb;
  readonly parameters: CniParameters;
  readonly search: PluginSearch;
  /** CNI_PATH where it is not the search path: VERSION. */
  readonly cniPath?: string;
  readonly stdin: string;
  /** Plugins that still have to run, this one included. */
  readonly pluginsLeft: number;
}

/**
 * Finds and runs one plugin, and returns what it printed if it exited with status 0.
 * @throws {PluginNotFoundError}
 * @throws {PluginFailedError}
 * @throws {InvalidEnvironmentError} if a variable has a NUL
 * @see libcni `invoke.ExecPluginWithResult`, `invoke.ExecPluginWithoutResult`
 */
export async function runPlugin(cni: CniRuntime, task: PluginTask, limits: RunLimits): Promise<PluginOutput> {
  const { command, parameters, search } = task;
  const { type } = task.plugin;
  const path = await findPlugin(type, search.searchPath, search.root);
  const cniPath = task.cniPath ?? search.searchPath.join(":");
  const env = pluginEnvironment(cni.baseEnv, command, parameters, cniPath, limits.trace);
  const timeoutMs = limits.pluginTimeoutMs(task.pluginsLeft);
  if (limits.signal?.aborted === true) throw notRun(task, "cancelled", "context canceled");
  if (!(timeoutMs > 0)) throw notRun(task, "no-time", `no time left to run plugin ${goQuote(type)}`);
  const startedMs = performance.now();
  const outcome = await cni.executePlugin(
    {
      path,
      env,
      stdin: task.stdin,
      ...(search.root === undefined ? {} : { root: search.root }),
      timeoutMs: Math.ceil(timeoutMs),
      owner: parameters.containerId,
    },
    limits.signal,
  );
  report(cni, task, outcome, (performance.now() - startedMs) / 1000);
  if (outcome.kind === "exited" && outcome.exitCode === 0) return outcome.output;
  throw pluginFailure(type, command, outcome);
}

function notRun(task: PluginTask, kind: PluginFailureKind, reason: string): PluginFailedError {
  return new PluginFailedError(`netplugin failed with no error message: ${reason}`, {
    plugin: task.plugin.type,
    command: task.command,
    kind,
    started: false,
    code: CniCode.TryAgainLater,
  });
}

function report(cni: CniRuntime, task: PluginTask, outcome: PluginOutcome, seconds: number): void {
  const { listName, index, command } = task;
  cni.onPluginRun?.({ listName, plugin: task.plugin.type, index, command, outcome, seconds });
}
