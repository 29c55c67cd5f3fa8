import {
  CniCode,
  CniError,
  type NetworkList,
  parseNetworkListOrPlugin,
  statusNetworkList,
} from "../cni/index.ts";
import { Deadline } from "../foundation/deadline.ts";
import { formatDuration } from "../foundation/duration.ts";
import { searchPath } from "./build-delegates.ts";
import { chooseClusterNetworks, type NetworkSources } from "./choose-networks.ts";
import { type DelegateTools, observedRuntime } from "./delegate-runtime.ts";
import { Failure } from "./failure.ts";
import type { CniInvocation } from "./invocation.ts";
import { readMultusConfiguration } from "./multus-configuration.ts";
import { isTimeout } from "./request-failure.ts";
import { pluginLimitMs, type ReadSettings } from "./settings.ts";

export interface StatusParts {
  readonly tools: DelegateTools;
  readonly settings: ReadSettings;
  readonly sources: NetworkSources;
  /** Why state cannot be written, if it cannot. */
  readonly storageProblem: () => string | undefined;
}

/**
 * STATUS: can this node serve ADD? Fails only for causes of this node, because a runtime turns it into NotReady: the
 * primary network is not there, state cannot be written, or the primary's own plugins say so.
 */
export class ReportStatus {
  readonly #parts: StatusParts;

  constructor(parts: StatusParts) {
    this.#parts = parts;
  }

  /** @throws {Failure} with code 50, or the primary's own code */
  async status(invocation: CniInvocation, caller: AbortSignal): Promise<void> {
    const settings = this.#parts.settings();
    const problem = this.#parts.storageProblem();
    if (problem !== undefined) throw unavailable(problem);
    const deadline = Deadline.after(settings.timeouts.statusMs);
    using signal = deadline.signal(caller);
    const configuration = readMultusConfiguration(invocation.config, settings.overlay);
    const choice = { configuration, settings, pod: undefined };
    const [primary] = await asUnavailable(() => chooseClusterNetworks(this.#parts.sources, choice, signal));
    if (primary === undefined) return;
    await this.#askPlugins(primary.network, primary.list, invocation, deadline, signal);
  }

  /** The same for the delegate's list or plugin that a hot-plug client gives. @throws {Failure} */
  async statusOfDelegate(invocation: CniInvocation, caller: AbortSignal): Promise<void> {
    const deadline = Deadline.after(this.#parts.settings().timeouts.statusMs);
    using signal = deadline.signal(caller);
    const list = readDelegate(invocation.config);
    await this.#askPlugins(list.name, list, invocation, deadline, signal);
  }

  async #askPlugins(
    network: string,
    list: NetworkList,
    invocation: CniInvocation,
    deadline: Deadline,
    signal: AbortSignal,
  ): Promise<void> {
    const settings = this.#parts.settings();
    const { binDir } = readMultusConfiguration("{}", settings.overlay);
    const context = { network, pod: undefined, requestId: invocation.requestId };
    const limitMs = pluginLimitMs(settings, network, list.name);
    const where = {
      searchPath: searchPath(binDir, settings.pluginPath, invocation.path),
      ...(settings.root === undefined ? {} : { root: settings.root }),
    };
    try {
      await statusNetworkList(observedRuntime(this.#parts.tools, context), list, where, {
        signal,
        pluginTimeoutMs: () => Math.min(limitMs, deadline.remainingMs()),
      });
    } catch (error) {
      throw statusFailure(error, network, settings.timeouts.statusMs);
    }
  }
}

function readDelegate(text: string): NetworkList {
  try {
    return parseNetworkListOrPlugin(text);
  } catch (error) {
    if (!(error instanceof CniError)) throw error;
    throw new Failure("invalid-configuration", `delegate's network configuration: ${error.message}`, {
      cause: error,
    });
  }
}

function unavailable(message: string, cause?: unknown): Failure {
  return new Failure("not-ready", message, { code: CniCode.PluginNotAvailable, retryAfterSeconds: 5, cause });
}

/** A primary that is missing or broken is this node's cause; what the cluster cannot be asked for is not. */
async function asUnavailable<T>(choose: () => Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await choose();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.failureClass === "not-ready") return [];
    throw unavailable(`primary network: ${error.message}`, error);
  }
}

function statusFailure(error: unknown, network: string, limitMs: number): unknown {
  if (isTimeout(error)) {
    const text = `network "${network}": its STATUS was not done within ${formatDuration(limitMs)}`;
    return new Failure("deadline-exceeded", text, { cause: error });
  }
  if (!(error instanceof CniError)) return error;
  return new Failure("not-ready", `network "${network}": ${error.message}`, {
    code: error.code === CniCode.Unknown ? CniCode.PluginNotAvailable : error.code,
    cause: error,
    ...(error.details === undefined ? {} : { details: error.details }),
  });
}
