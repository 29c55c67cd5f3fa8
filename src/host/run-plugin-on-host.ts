import type { PluginInvocation, PluginOutcome } from "../cni/execute-plugin.ts";
import { maxTimerMs } from "../foundation/abort.ts";
import { FrameTooLongError } from "./frame.ts";
import type { HostCall, HostConnection } from "./host-connection.ts";
import { HostLostError, HostProtocolError } from "./host-errors.ts";
import { notStarted, readOutcome } from "./plugin-outcome.ts";

/** A host that has not answered this long after a run's end was due hangs. */
const graceMs = 5_000;

/**
 * Runs a plugin on a host that is there. Never rejects.
 * @param leftMs what is left of the invocation's `timeoutMs`
 */
export async function runPluginOnHost(
  host: HostConnection,
  invocation: PluginInvocation,
  leftMs: number,
  signal: AbortSignal | undefined,
): Promise<PluginOutcome> {
  try {
    const call = host.call(toRequest(invocation, leftMs), Buffer.from(invocation.stdin, "utf8"));
    return readOutcome(await guard(host, call, leftMs, signal), invocation.timeoutMs);
  } catch (error) {
    if (error instanceof FrameTooLongError) return tooLong(invocation.path);
    const lost = error instanceof HostLostError ? error : new HostLostError("cannot be understood", error);
    if (error instanceof HostProtocolError) host.kill(lost);
    return { kind: "executor-lost", message: lost.message };
  }
}

function toRequest({ path, env, root, owner }: PluginInvocation, leftMs: number): object {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const request = { op: "run", path, env: variables, timeoutMs: Math.max(1, Math.ceil(leftMs)), owner };
  return root === undefined ? request : { ...request, root };
}

/** Waits for the answer, passes an abort on, and ends a host that lets the run's time go by without a word. */
async function guard(host: HostConnection, call: HostCall, leftMs: number, signal: AbortSignal | undefined) {
  const hung = () => host.kill(new HostLostError("does not answer"));
  let timer = setTimeout(hung, Math.min(leftMs + graceMs, maxTimerMs));
  const cancel = () => {
    clearTimeout(timer);
    timer = setTimeout(hung, graceMs);
    host.call({ op: "cancel", target: call.id });
  };
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    return await call.answer;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
  }
}

function tooLong(path: string): PluginOutcome {
  return notStarted("other", "E2BIG", `fork/exec ${path}: argument list too long`);
}
