import type { DelegateTools } from "../attachments/delegate-runtime.ts";
import type { DelDecision, Log } from "../attachments/instruments.ts";
import type { SandboxRecord } from "../attachments/sandbox-record.ts";
import type { SettledAttachment } from "./attachment-outcome.ts";

interface Teller {
  readonly tools: DelegateTools;
  readonly log: Log;
}

const levelOf: Readonly<Record<DelDecision, "info" | "warn">> = {
  ignored: "info",
  tolerated: "warn",
  deferred: "warn",
  returned: "warn",
  escalated: "warn",
};

/** Says of each plugin that failed its DEL, or was not tried, which policy decided what: metric, log line, `explain`. */
export function tellOutcome(
  { tools, log }: Teller,
  { record, requestId }: { readonly record: SandboxRecord; readonly requestId: string },
  { attachment, settled }: SettledAttachment,
): void {
  for (const { plugin, error, policy, decision, wasTried } of settled) {
    const { mode } = policy.policy;
    tools.instruments.delFailure({
      network: attachment.network,
      plugin,
      policy: mode,
      decision,
      code: error.code,
    });
    const fields = {
      containerID: record.containerId,
      ifName: attachment.interface,
      pod: record.pod,
      network: attachment.network,
      plugin,
      code: error.code,
      msg_of_plugin: error.msg,
      policy: mode,
      policySource: policy.source,
      decision,
      wasTried,
      requestId,
    };
    log[levelOf[decision]](fields, "deletion of a network failed");
    tools.recorder.record(record.pod, {
      at: tools.clock.nowText(),
      requestId,
      command: "DEL",
      step: `policy ${mode} (${policy.source})`,
      network: attachment.network,
      outcome: decision,
      durationMs: 0,
      text: `${plugin}: ${error.msg}`,
    });
  }
}
