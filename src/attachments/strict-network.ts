import type { SandboxRecord } from "./sandbox-record.ts";

/** True if a network or a single plugin of the sandbox is strict: the shim must not answer for its DEL by itself. */
export function hasStrictNetwork({ attachments }: Pick<SandboxRecord, "attachments">): boolean {
  return attachments.some(({ policy, pluginPolicies }) =>
    [policy, ...Object.values(pluginPolicies ?? {})].some((own) => own.policy.mode === "strict"),
  );
}
