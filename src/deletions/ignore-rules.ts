import type { IgnoreRule } from "../attachments/error-policy.ts";
import { compileSafeExpression } from "../attachments/safe-expression.ts";
import type { PluginErrorFacts } from "../attachments/sandbox-record.ts";

/**
 * Answers by which common plugins say that what they should delete is gone (field reports of macvlan, ipvlan,
 * host-device, SR-IOV, OVS, bond, InfiniBand and whereabouts). Text, because none of them has a code for it.
 */
const goneAnswers = [
  /link not found/i,
  /no such (device|network interface)/i,
  /failed to (lookup|find|get) .{0,120}: (link not found|no such device)/i,
  /failed to find container device/i,
  /no such network namespace/i,
  /port .{0,120} (is not|not) found/i,
  /no ip (address )?(reservation|allocation) /i,
];

/** As much of a plugin's message as patterns are run on: what `compileSafeExpression` bounds their time for. */
const longestText = 512;

/** True if a failed DEL counts as done because the operator said so. */
export function isIgnored(rules: readonly IgnoreRule[], error: PluginErrorFacts): boolean {
  const text = error.msg.slice(0, longestText);
  return rules.some((rule) => {
    if (rule === "gone") return goneAnswers.some((pattern) => pattern.test(text));
    if ("code" in rule) return rule.code === error.code;
    // Compiled anew: a record may hold what no configuration was allowed to say. Such a rule matches nothing.
    const expression = compileSafeExpression(rule.message);
    return typeof expression !== "string" && expression.test(text);
  });
}
