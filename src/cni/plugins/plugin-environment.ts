import { InvalidEnvironmentError } from "../errors/environment-error.ts";
import type { CniVerb } from "../verbs/cni-verb.ts";
import type { TraceContext } from "./cni-runtime.ts";

/** Values of the protocol's variables (SPEC.md §2 "Parameters"). */
export interface CniParameters {
  readonly containerId: string;
  readonly netns: string;
  readonly ifName: string;
  readonly args: readonly (readonly [string, string])[];
}

/** GC and STATUS are about no container. */
export const noContainer: CniParameters = { containerId: "", netns: "", ifName: "", args: [] };

/**
 * A copy of the runtime's own environment that plugins may have: without the variables of the protocol, which would
 * be those of somebody else's call, and without trace context, which would be a span of another request.
 */
export function baseEnvironment(env: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  const entries = Object.entries(env).filter((entry): entry is [string, string] => {
    const [name, value] = entry;
    return value !== undefined && !name.startsWith("CNI_") && !traceVariables.has(name);
  });
  return Object.fromEntries(entries);
}

const traceVariables = new Set(["TRACEPARENT", "TRACESTATE", "BAGGAGE"]);

/**
 * The whole environment of one run. All six variables are always set, if need be empty: reference plugins take an
 * empty one for a missing one.
 * @throws {InvalidEnvironmentError} if a value has a NUL, which no process can be given
 * @see libcni `invoke.Args.AsEnv`
 */
export function pluginEnvironment(
  base: Readonly<Record<string, string>>,
  command: CniVerb,
  parameters: CniParameters,
  cniPath: string,
  trace?: TraceContext,
): Readonly<Record<string, string>> {
  const env = {
    ...base,
    CNI_COMMAND: command,
    CNI_CONTAINERID: parameters.containerId,
    CNI_NETNS: parameters.netns,
    CNI_ARGS: parameters.args.map(([key, value]) => `${key}=${value}`).join(";"),
    CNI_IFNAME: parameters.ifName,
    CNI_PATH: cniPath,
    ...traceEnvironment(trace),
  };
  const broken = Object.entries(env).find((entry) => entry.join("").includes("\0"));
  if (broken !== undefined) {
    throw new InvalidEnvironmentError("exec: environment variable contains NUL", {
      details: broken[0].replaceAll("\0", ""),
    });
  }
  return env;
}

function traceEnvironment(trace: TraceContext | undefined): Readonly<Record<string, string>> {
  if (trace === undefined) return {};
  return {
    TRACEPARENT: trace.traceparent,
    ...(trace.tracestate ? { TRACESTATE: trace.tracestate } : {}),
    ...(trace.baggage ? { BAGGAGE: trace.baggage } : {}),
  };
}
