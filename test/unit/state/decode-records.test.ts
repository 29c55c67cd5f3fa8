import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DurableDirectory } from "../../../src/state/durable-directory.ts";
import { Quarantine } from "../../../src/state/quarantine.ts";
import { FileSandboxStore } from "../../../src/state/sandbox-store.ts";
import { fullAttachment, sandboxRecord } from "./standard-records.ts";
import { temporaryDirectory } from "./state-fixture.ts";

/** Loads c1/eth0 from a file that holds `entry` as some other version may have written it. */
async function loadWritten(entry: object, version = 1) {
  const path = await temporaryDirectory();
  const body = JSON.stringify({ containerId: "c1", entries: [entry], later: [] });
  const hash = createHash("sha256").update(body).digest("hex");
  await mkdir(join(path, "sandboxes"));
  const text = `{"kind":"multusd.sandbox","version":${version},"sha256":"${hash}","body":${body}}`;
  await writeFile(join(path, "sandboxes", "c1.json"), text);
  const quarantine = new Quarantine(join(path, "quarantine"), (found) => expect.unreachable(found.reason));
  const store = new FileSandboxStore(new DurableDirectory(join(path, "sandboxes")), quarantine);
  const found = await store.load({ containerId: "c1", ifName: "eth0" });
  if (found.kind !== "entry" || found.entry.state === "done") expect.unreachable(found.kind);
  return found.entry;
}

function withAttachment(changes: object): object {
  return { ...sandboxRecord(), attachments: [{ ...fullAttachment, ...changes }] };
}

describe("a readable record", () => {
  it("of a newer version is used as far as it is known", async () => {
    const entry = { ...sandboxRecord(), invented: { later: true } };

    await expect(loadWritten(entry, 7)).resolves.toEqual(sandboxRecord());
  });

  it.each([
    ["absent", undefined],
    ["null", null],
    ["a text", "strict"],
    [
      "of an unknown mode",
      { ...fullAttachment.policy, policy: { ...fullAttachment.policy.policy, mode: "x" } },
    ],
    ["of an unknown source", { ...fullAttachment.policy, source: "x" }],
    ["with a time that is none", { ...fullAttachment.policy, policy: { retry: { initialMs: -1 } } }],
  ])("whose policy is %s falls back to deferred and says so", async (_what, policy) => {
    const { attachments } = await loadWritten(withAttachment({ policy }));

    expect(attachments[0]?.policy).toEqual({
      source: "unreadable-record",
      policy: {
        mode: "deferred",
        firstAttempt: "inline",
        escalate: { attempts: 20, ageMs: 600_000 },
        retry: { initialMs: 1000, maxMs: 300_000, giveUpAfterMs: 604_800_000 },
        ignore: [],
      },
    });
    expect(attachments[0]).toMatchObject({ network: fullAttachment.network, config: fullAttachment.config });
  });

  it("whose policy of one plugin is unreadable keeps the others", async () => {
    const pluginPolicies = { ...fullAttachment.pluginPolicies, "0": 5 };
    const { attachments } = await loadWritten(withAttachment({ pluginPolicies }));

    expect(attachments[0]?.pluginPolicies?.["1"]).toEqual(fullAttachment.pluginPolicies?.["1"]);
    expect(attachments[0]?.pluginPolicies?.["0"]?.source).toBe("unreadable-record");
  });

  it("with an unreadable list of owed plugins owes all of them", async () => {
    const { attachments } = await loadWritten(withAttachment({ owed: ["0"] }));

    expect(attachments[0]).not.toHaveProperty("owed");
  });

  it("does without what only people read", async () => {
    const { created: _created, ...entry } = sandboxRecord();
    const loaded = await loadWritten({ ...entry, networkStatus: [{ name: 5 }], refusals: "many" });

    expect(loaded).toMatchObject({ created: "", netns: entry.netns, attachments: [fullAttachment] });
    expect(loaded).not.toHaveProperty("networkStatus");
    expect(loaded).not.toHaveProperty("refusals");
  });

  it("keeps a member that is named like a prototype as a plain one", async () => {
    const capabilityArgs = JSON.parse('{"__proto__":"1","constructor":"2"}');
    const { attachments } = await loadWritten(withAttachment({ capabilityArgs }));

    expect(Object.entries(attachments[0]?.capabilityArgs ?? {})).toEqual([
      ["__proto__", "1"],
      ["constructor", "2"],
    ]);
  });
});
