import type { Namespaces } from "../attachments/ports.ts";
import type { ExecutePlugin, PluginInvocation, PluginOutcome } from "../cni/execute-plugin.ts";
import { throwIfAborted } from "../foundation/abort.ts";
import { Deadline } from "../foundation/deadline.ts";
import type { EndedGroup } from "./host-connection.ts";
import { HostLostError } from "./host-errors.ts";
import { hostNamespaces } from "./host-namespaces.ts";
import { HostSupervisor, type SupervisorOptions } from "./host-supervisor.ts";
import { cancelledBeforeStart } from "./plugin-outcome.ts";
import { runPluginOnHost } from "./run-plugin-on-host.ts";

export type { EndedGroup } from "./host-connection.ts";
export { HostLostError } from "./host-errors.ts";
export type { HostRestart } from "./host-supervisor.ts";

export interface PluginHostOptions extends SupervisorOptions {
  /** Becomes part of each `NamespaceIdentity`. */
  readonly bootId: string;
}

/** The native arm, always there: a host that dies is replaced (docs/multus-host.md). */
export interface PluginHost {
  readonly executePlugin: ExecutePlugin;
  readonly namespaces: Namespaces;
  /** What an earlier host had left in `runsDirectory` and this one has ended. */
  readonly endedAtStart: readonly EndedGroup[];
  /** False between the loss of a host and the greeting of the next. */
  readonly isRunning: boolean;
  /** Ends what runs (`executor-lost`) and the host; what is asked afterwards is `executor-lost` too. */
  stop(): Promise<void>;
}

/**
 * Starts `multus-host serve`. Only for the holder of the state directory's lock: the host begins by ending whatever an
 * earlier one left in `runsDirectory`.
 * @throws {HostLostError} if it does not start
 */
export async function startPluginHost(options: PluginHostOptions): Promise<PluginHost> {
  const supervisor = await HostSupervisor.start(options);
  return {
    executePlugin: async (invocation, signal) => await execute(supervisor, invocation, signal),
    namespaces: hostNamespaces(supervisor, options.bootId),
    endedAtStart: supervisor.endedAtStart,
    get isRunning() {
      return supervisor.isRunning;
    },
    stop: async () => await supervisor.stop(),
  };
}

async function execute(
  supervisor: HostSupervisor,
  invocation: PluginInvocation,
  signal: AbortSignal | undefined,
): Promise<PluginOutcome> {
  const deadline = Deadline.after(invocation.timeoutMs);
  using wait = deadline.signal(signal);
  try {
    throwIfAborted(wait);
    const host = await supervisor.connection(wait);
    throwIfAborted(wait);
    return await runPluginOnHost(host, invocation, deadline.remainingMs(), signal);
  } catch (error) {
    // Nothing has been sent: what is sent settles with an outcome.
    if (signal?.aborted === true) return cancelledBeforeStart;
    const lost =
      error instanceof HostLostError ? error : new HostLostError("did not come back in time", error);
    return { kind: "executor-lost", message: lost.message };
  }
}
