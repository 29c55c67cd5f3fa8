import type { ReadSettings } from "../attachments/settings.ts";
import { settingsOfNetwork } from "../attachments/settings.ts";
import type { PolicyOf } from "./attachment-outcome.ts";

/**
 * The policy of the record, unless the daemon's `networks` say otherwise now: an operator can free a stuck node by
 * configuration. Asked again for each attempt.
 */
export function policyInForce(readSettings: ReadSettings): PolicyOf {
  return (attachment, pluginIndex) => {
    const override = settingsOfNetwork(
      readSettings(),
      attachment.network,
      attachment.listName,
    ).delErrorPolicy;
    if (override !== undefined) return { policy: override, source: "daemon-networks" };
    return attachment.pluginPolicies?.[String(pluginIndex)] ?? attachment.policy;
  };
}
