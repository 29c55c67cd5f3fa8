import { describe, expect, it } from "vitest";
import type { ErrorPolicy } from "../../../src/attachments/error-policy.ts";
import type { AttachmentRecord } from "../../../src/attachments/sandbox-record.ts";
import {
  type PluginOutcome,
  type Responsibility,
  settleAttachment,
} from "../../../src/deletions/attachment-outcome.ts";
import { policy } from "../../support/domain-rig.ts";

const failed: PluginOutcome = {
  index: 0,
  plugin: "p",
  kind: "failed",
  error: { plugin: "p", code: 42, msg: "no" },
  timedOut: false,
};
const notTried: PluginOutcome = {
  index: 0,
  plugin: "p",
  kind: "not-tried",
  error: { plugin: "p", code: 11, msg: "-" },
};

function decisionOver(
  outcome: PluginOutcome,
  own: ErrorPolicy,
  responsibility: Responsibility,
): string | undefined {
  const { settled, returned, deferred } = settleAttachment(
    {} as AttachmentRecord,
    [outcome],
    responsibility,
    () => ({
      policy: own,
      source: "default",
    }),
  );
  expect(returned.length + deferred.length).toBeLessThanOrEqual(1);
  return settled[0]?.decision;
}

const first: Responsibility = { of: "runtime", refusals: 0, refusedForMs: 0 };

describe("the decision over a plugin's DEL", () => {
  it.each([
    ["failed", "strict", failed, "returned"],
    ["failed", "lenient", failed, "tolerated"],
    ["failed", "deferred", failed, "deferred"],
    ["was not tried", "strict", notTried, "returned"],
    ["was not tried", "lenient", notTried, "deferred"],
    ["was not tried", "deferred", notTried, "deferred"],
  ] as const)("that %s under %s is the policy's while a runtime asks", (_what, mode, outcome, decision) => {
    expect(decisionOver(outcome, policy(mode), first)).toBe(decision);
  });

  it.each(["strict", "lenient", "deferred"] as const)(
    "is the daemon's under %s where no runtime will ask again",
    (mode) => {
      expect(decisionOver(failed, policy(mode), { of: "daemon" })).toBe("deferred");
    },
  );

  it("that succeeded leaves nothing to decide", () => {
    expect(decisionOver({ index: 0, plugin: "p", kind: "deleted" }, policy("strict"), first)).toBeUndefined();
  });

  it.each([
    [{ refusals: 1, refusedForMs: 0 }, "returned"],
    [{ refusals: 2, refusedForMs: 0 }, "escalated"],
    [{ refusals: 1, refusedForMs: 999 }, "returned"],
    [{ refusals: 1, refusedForMs: 1000 }, "escalated"],
    [{ refusals: 0, refusedForMs: 1000 }, "returned"],
  ] as const)("under strict after %j is %s", (refused, decision) => {
    const strict = policy("strict", { escalate: { attempts: 2, ageMs: 1000 } });

    expect(decisionOver(failed, strict, { of: "runtime", ...refused })).toBe(decision);
  });

  it("that an ignore rule matches counts as done under every policy, but only if the plugin was run", () => {
    const rules = { ignore: [{ code: 42 }, { code: 11 }] };

    expect(decisionOver(failed, policy("strict", rules), first)).toBe("ignored");
    expect(decisionOver(failed, policy("deferred", rules), { of: "daemon" })).toBe("ignored");
    expect(decisionOver(notTried, policy("strict", rules), first)).toBe("returned");
  });
});
