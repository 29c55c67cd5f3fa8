import { CniCode, checkNetworkList, compareVersions, parseResult } from "../cni/index.ts";
import { Deadline } from "../foundation/deadline.ts";
import { formatDuration } from "../foundation/duration.ts";
import { type DelegateTools, observedRuntime } from "./delegate-runtime.ts";
import { Failure } from "./failure.ts";
import type { CniInvocation } from "./invocation.ts";
import type { SandboxStore } from "./ports.ts";
import { parseRecordedList } from "./recorded-list.ts";
import { requestFailure } from "./request-failure.ts";
import type { RequestSlots } from "./request-slots.ts";
import type { AttachmentRecord, SandboxRecord } from "./sandbox-record.ts";
import type { SandboxTurns } from "./sandbox-turns.ts";
import { pluginLimitMs, type ReadSettings } from "./settings.ts";

export interface CheckParts {
  readonly tools: DelegateTools;
  readonly settings: ReadSettings;
  readonly store: SandboxStore;
  readonly turns: SandboxTurns;
  readonly slots: RequestSlots;
}

/** CHECK of a sandbox: every network that its record holds, in ADD order, with what ADD gave. */
export class CheckSandbox {
  readonly #parts: CheckParts;

  constructor(parts: CheckParts) {
    this.#parts = parts;
  }

  /** @throws {Failure} of the first network that is not as it should be; code 3 for a container without record */
  async check(invocation: CniInvocation, caller: AbortSignal): Promise<void> {
    const { turns, settings } = this.#parts;
    const deadline = Deadline.after(settings().timeouts.checkMs);
    using signal = deadline.signal(caller);
    try {
      await turns.run(invocation.containerId, () => this.#checkInTurn(invocation, deadline, signal), signal);
    } catch (error) {
      throw requestFailure(error, `timeouts.check is ${formatDuration(settings().timeouts.checkMs)}`);
    }
  }

  async #checkInTurn(invocation: CniInvocation, deadline: Deadline, signal: AbortSignal): Promise<void> {
    const slot = await this.#parts.slots.acquire("other", deadline, signal);
    try {
      const record = await this.#record(invocation);
      for (const attachment of record.attachments) {
        await this.#checkOne(invocation, record, attachment, deadline, signal);
      }
    } finally {
      slot.release();
    }
  }

  async #record(invocation: CniInvocation): Promise<SandboxRecord> {
    const stored = await this.#parts.store.load(invocation);
    if (stored.kind === "entry" && stored.entry.state === "added") return stored.entry;
    throw new Failure(
      "delegate-failed",
      `CHECK: container ${invocation.containerId} has no attached networks here; it was never added, or is deleted`,
      { code: CniCode.UnknownContainer },
    );
  }

  async #checkOne(
    invocation: CniInvocation,
    record: SandboxRecord,
    attachment: AttachmentRecord,
    deadline: Deadline,
    signal: AbortSignal,
  ): Promise<void> {
    const { tools, settings } = this.#parts;
    const list = parseRecordedList(attachment.config);
    // A primary that cannot CHECK makes the pod's other networks no worse; upstream fails here.
    if (list.disableCheck || compareVersions(list.cniVersion, "0.4.0") < 0) return;
    const context = { network: attachment.network, pod: record.pod, requestId: invocation.requestId };
    const limitMs = pluginLimitMs(settings(), attachment.network, attachment.listName);
    try {
      await checkNetworkList(
        observedRuntime(tools, context),
        list,
        {
          containerId: record.containerId,
          netns: invocation.netns,
          ifName: attachment.interface,
          args: attachment.args,
          capabilityArgs: attachment.capabilityArgs,
          searchPath: attachment.searchPath,
          ...(attachment.root === undefined ? {} : { root: attachment.root }),
        },
        attachment.result === undefined ? undefined : parseResult(attachment.result, list.cniVersion),
        { signal, pluginTimeoutMs: () => Math.min(limitMs, deadline.remainingMs()) },
      );
    } catch (error) {
      signal.throwIfAborted();
      throw requestFailure(error, "timeouts.check", attachment);
    }
  }
}
