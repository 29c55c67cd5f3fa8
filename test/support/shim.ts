import { dist } from "./dist.ts";
import { type ProgramInput, type ProgramOutcome, type RunningProgram, startProgram } from "./run-program.ts";

export interface ShimCall {
  readonly command: string;
  readonly containerId: string;
  readonly ifName?: string;
  readonly netns?: string;
  readonly args?: string;
  readonly path?: string;
  readonly stdin: string;
  readonly limitMs?: number;
  /** Words before the command; the last program that they start must become the shim. */
  readonly wrapper?: readonly string[];
}

export interface ShimOutcome extends ProgramOutcome {
  /** stdout as JSON; `undefined` where it printed nothing. */
  readonly printed: Printed | undefined;
}

/** A result or an error object. */
export type Printed = Readonly<Record<string, unknown>> & { readonly code?: number; readonly msg?: string };

export interface RunningShim extends Omit<RunningProgram, "ended"> {
  readonly ended: Promise<ShimOutcome>;
}

/** Starts `dist/multus-shim` as a container runtime does. */
export function startShim(call: ShimCall): RunningShim {
  const running = startProgram(programInput(call));
  const ended = running.ended.then((outcome) => ({ ...outcome, printed: parse(outcome.stdout) }));
  return { pid: running.pid, ended, kill: running.kill };
}

export async function runShim(call: ShimCall): Promise<ShimOutcome> {
  return await startShim(call).ended;
}

function programInput(call: ShimCall): ProgramInput {
  const env = {
    PATH: "/usr/sbin:/usr/bin:/sbin:/bin",
    CNI_COMMAND: call.command,
    CNI_CONTAINERID: call.containerId,
    CNI_NETNS: call.netns ?? "",
    CNI_IFNAME: call.ifName ?? "eth0",
    CNI_ARGS: call.args ?? "",
    CNI_PATH: call.path ?? "/opt/cni/bin",
  };
  const [program = dist.shim, ...args] = [...(call.wrapper ?? []), dist.shim];
  return { program, args, env, stdin: call.stdin, limitMs: call.limitMs ?? 90_000 };
}

/** Anything that is no JSON on stdout breaks the contract of a CNI plugin. */
function parse(stdout: string): Printed | undefined {
  return stdout.trim() === "" ? undefined : (JSON.parse(stdout) as Printed);
}
