import { describe, expect, it } from "vitest";
import { alphaAndBeta } from "../support/networks.ts";
import type { RecordedCall } from "../support/recorded-calls.ts";
import { useNode } from "../support/test-node.ts";
import { waitFor } from "../support/wait-for.ts";

/** True if two calls of one sandbox ran at the same time; a call that was killed has no end and ends with the next. */
function overlaps(calls: readonly RecordedCall[]): boolean {
  return calls.some((call, index) => {
    const next = calls[index + 1];
    return next !== undefined && call.endedNs !== undefined && next.startedNs < call.endedNs;
  });
}

describe("DEL while ADD of the same sandbox runs", () => {
  it("A15: ends the ADD first, then deletes; another sandbox is not delayed", async () => {
    const node = await useNode({ manifests: alphaAndBeta() });
    const sandbox = await node.sandbox({ networks: "alpha,beta" });
    const other = await node.sandbox({ networks: "alpha" });
    await node.plugins.behave("beta", "ADD", { gate: "never" });
    const ended: string[] = [];
    const adding = sandbox.begin("ADD");
    await waitFor("beta's ADD", async () => (await node.plugins.calls({ type: "beta" })).length > 0);

    const deleting = sandbox.begin("DEL");
    const [added, deleted, otherAdded] = await Promise.all([
      adding.ended.finally(() => ended.push("ADD")),
      deleting.ended.finally(() => ended.push("DEL")),
      other.run("ADD"),
    ]);

    expect(added.code).toBe(1);
    expect(added.printed).toMatchObject({ code: expect.any(Number), msg: expect.any(String) });
    expect(deleted).toMatchObject({ code: 0, stdout: "" });
    expect(ended).toEqual(["ADD", "DEL"]);
    expect(otherAdded.code).toBe(0);
    expect(otherAdded.wallMs).toBeLessThan(2_000);
    const held = await node.plugins.held();
    expect(held.every((one) => one.owner.startsWith(other.containerId))).toBe(true);
    expect(overlaps(await node.plugins.calls({ containerId: sandbox.containerId }))).toBe(false);
  });
});
