import type { ErrorPolicy, ResolvedPolicy } from "../attachments/error-policy.ts";
import type { DelDecision } from "../attachments/instruments.ts";
import type { AttachmentRecord, PluginErrorFacts } from "../attachments/sandbox-record.ts";
import { isIgnored } from "./ignore-rules.ts";

/** What became of one plugin of an attachment's DEL. */
export type PluginOutcome =
  | { readonly index: number; readonly plugin: string; readonly kind: "deleted" }
  | {
      readonly index: number;
      readonly plugin: string;
      readonly kind: "failed";
      readonly error: PluginErrorFacts;
      /** The plugin was ended because its time was over. */
      readonly timedOut: boolean;
    }
  | {
      readonly index: number;
      readonly plugin: string;
      /** `fenced`: it must not run, since a newer sandbox has what it would act upon. */
      readonly kind: "not-tried" | "fenced";
      readonly error: PluginErrorFacts;
    };

/** Who answers for what fails: the runtime's DEL goes by policy, everything else belongs to the daemon. */
export type Responsibility =
  | { readonly of: "runtime"; readonly refusals: number; readonly refusedForMs: number }
  | { readonly of: "daemon" };

/** A failed or untried plugin with the decision over it. */
export interface SettledPlugin {
  readonly index: number;
  readonly plugin: string;
  readonly wasTried: boolean;
  readonly timedOut: boolean;
  readonly error: PluginErrorFacts;
  readonly policy: ResolvedPolicy;
  readonly decision: DelDecision;
}

/** An attachment's DEL, decided: what stays with the runtime, what the daemon owes. */
export interface SettledAttachment {
  readonly attachment: AttachmentRecord;
  readonly settled: readonly SettledPlugin[];
  /** Plugin indexes that the runtime's next DEL runs again. */
  readonly returned: readonly number[];
  /** Plugin indexes that the daemon owes. */
  readonly deferred: readonly number[];
}

/** Looks up the policy in force for a plugin of an attachment; the operator's `networks` come first. */
export type PolicyOf = (attachment: AttachmentRecord, pluginIndex: number) => ResolvedPolicy;

/** Decides over each plugin of an attachment by its policy (contract §4). Pure: nothing is written or told here. */
export function settleAttachment(
  attachment: AttachmentRecord,
  outcomes: readonly PluginOutcome[],
  responsibility: Responsibility,
  policyOf: PolicyOf,
): SettledAttachment {
  const settled = outcomes.flatMap((outcome): SettledPlugin[] => {
    if (outcome.kind === "deleted") return [];
    const resolved = policyOf(attachment, outcome.index);
    const wasTried = outcome.kind === "failed";
    // No runtime can help where a fence stands: the daemon shows it as a dead letter.
    const decision =
      outcome.kind === "fenced"
        ? "deferred"
        : decide(resolved.policy, outcome.error, wasTried, responsibility);
    const { index, plugin, error } = outcome;
    const timedOut = outcome.kind === "failed" && outcome.timedOut;
    return [{ index, plugin, wasTried, timedOut, error, policy: resolved, decision }];
  });
  const indexesOf = (...decisions: DelDecision[]) =>
    settled.filter(({ decision }) => decisions.includes(decision)).map(({ index }) => index);
  return {
    attachment,
    settled,
    returned: indexesOf("returned"),
    deferred: indexesOf("deferred", "escalated"),
  };
}

function decide(
  policy: ErrorPolicy,
  error: PluginErrorFacts,
  wasTried: boolean,
  responsibility: Responsibility,
): DelDecision {
  if (wasTried && isIgnored(policy.ignore, error)) return "ignored";
  // What was never tried is always owed, and what no runtime will ask for again belongs to the daemon.
  if (responsibility.of === "daemon") return "deferred";
  if (policy.mode === "strict") return hasEscalated(policy, responsibility) ? "escalated" : "returned";
  return policy.mode === "lenient" && wasTried ? "tolerated" : "deferred";
}

function hasEscalated(
  policy: ErrorPolicy,
  refused: { readonly refusals: number; readonly refusedForMs: number },
) {
  if (refused.refusals === 0) return false;
  return refused.refusals >= policy.escalate.attempts || refused.refusedForMs >= policy.escalate.ageMs;
}
