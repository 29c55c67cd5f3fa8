import type { Generation, SandboxKey } from "./sandbox.ts";

export const cniCommands = ["ADD", "DEL", "CHECK", "GC", "STATUS"] as const;
export type CniCommand = (typeof cniCommands)[number];

/** One CNI request as the runtime made it, after the wire form has been checked. */
export interface CniInvocation extends SandboxKey {
  readonly command: CniCommand;
  /** In every log line, event, record and error detail of this request. */
  readonly requestId: string;
  /** Empty where the runtime gave none (GC, STATUS; DEL after the namespace has gone). */
  readonly netns: string;
  /** CNI_ARGS pairs in order; of a DEL those that could be read. */
  readonly args: readonly (readonly [string, string])[];
  /** The runtime's CNI_PATH, split; searched after the daemon's own directories. */
  readonly path: readonly string[];
  /** The shim's stdin, exact text. */
  readonly config: string;
  readonly generation: Generation;
  /** CLOCK_MONOTONIC nanoseconds by which the caller must have its answer; absent: the daemon's own limits only. */
  readonly deadlineNs?: bigint;
}

/** `interfaceAttributes` of a hot-plug request. */
export interface InterfaceAttributes {
  readonly ips?: readonly string[];
  readonly mac?: string;
  readonly cniArgs?: string;
}

/**
 * What a runtime can ask for. Each rejects with a `Failure` or a `CniError`; an aborted `signal` means that the
 * caller has gone: ADD is then undone before the promise settles, DEL is finished all the same.
 */
export interface CniOperations {
  /** The primary network's result as JSON text in the version that the caller's configuration asks for. */
  add(invocation: CniInvocation, signal: AbortSignal): Promise<string>;
  delete(invocation: CniInvocation, signal: AbortSignal): Promise<void>;
  check(invocation: CniInvocation, signal: AbortSignal): Promise<void>;
  status(invocation: CniInvocation, signal: AbortSignal): Promise<void>;
  collectGarbage(invocation: CniInvocation, signal: AbortSignal): Promise<void>;
  /** Hot-plug: one more network for a running pod; `invocation.config` is the delegate's own list or plugin. */
  attachDelegate(
    invocation: CniInvocation,
    attributes: InterfaceAttributes,
    signal: AbortSignal,
  ): Promise<string>;
  detachDelegate(invocation: CniInvocation, signal: AbortSignal): Promise<void>;
  /** STATUS of the plugins of the delegate that `invocation.config` is. */
  statusOfDelegate(invocation: CniInvocation, signal: AbortSignal): Promise<void>;
}
