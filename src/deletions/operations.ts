import type { AddSandbox } from "../attachments/add-sandbox.ts";
import type { CheckSandbox } from "../attachments/check-sandbox.ts";
import type { Instruments } from "../attachments/instruments.ts";
import type { CniCommand, CniInvocation, CniOperations } from "../attachments/invocation.ts";
import type { ReportStatus } from "../attachments/report-status.ts";
import { monotonicNs, nsToMs } from "../foundation/clock.ts";
import type { CollectGarbage } from "./collect-garbage.ts";
import type { DeleteSandbox } from "./delete-sandbox.ts";
import type { HotPlug } from "./hot-plug.ts";
import type { HotUnplug } from "./hot-unplug.ts";

export interface UseCases {
  readonly add: AddSandbox;
  readonly delete: DeleteSandbox;
  readonly check: CheckSandbox;
  readonly status: ReportStatus;
  readonly collectGarbage: CollectGarbage;
  readonly hotPlug: HotPlug;
  readonly hotUnplug: HotUnplug;
}

/** The use cases as a runtime can ask for them, each request counted. @param codeOf the CNI code that an error is told by */
export function createOperations(
  useCases: UseCases,
  instruments: Instruments,
  codeOf: (error: unknown, command: CniCommand) => number,
): CniOperations {
  const counted = async <T>(
    invocation: CniInvocation,
    signal: AbortSignal,
    run: () => Promise<T>,
  ): Promise<T> => {
    const sinceNs = monotonicNs();
    const count = (outcome: "success" | "failure" | "cancelled", code: number) =>
      instruments.cniRequest({
        command: invocation.command,
        outcome,
        code,
        seconds: nsToMs(monotonicNs() - sinceNs) / 1000,
      });
    try {
      const answer = await run();
      count("success", 0);
      return answer;
    } catch (error) {
      count(signal.aborted ? "cancelled" : "failure", codeOf(error, invocation.command));
      throw error;
    }
  };
  return {
    add: (invocation, signal) => counted(invocation, signal, () => useCases.add.add(invocation, signal)),
    delete: (invocation, signal) => counted(invocation, signal, () => useCases.delete.delete(invocation)),
    check: (invocation, signal) =>
      counted(invocation, signal, () => useCases.check.check(invocation, signal)),
    status: (invocation, signal) =>
      counted(invocation, signal, () => useCases.status.status(invocation, signal)),
    collectGarbage: (invocation, signal) =>
      counted(invocation, signal, () => useCases.collectGarbage.collect(invocation, signal)),
    attachDelegate: (invocation, attributes, signal) =>
      counted(invocation, signal, () => useCases.hotPlug.attach(invocation, attributes, signal)),
    detachDelegate: (invocation, signal) =>
      counted(invocation, signal, () => useCases.hotUnplug.detach(invocation)),
    statusOfDelegate: (invocation, signal) =>
      counted(invocation, signal, () => useCases.status.statusOfDelegate(invocation, signal)),
  };
}
