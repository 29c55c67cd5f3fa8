import { describe, expect, it } from "vitest";
import { readAnswer } from "../../../src/host/host-answer.ts";
import { HostProtocolError } from "../../../src/host/host-errors.ts";
import { readOutcome } from "../../../src/host/plugin-outcome.ts";

function answer(head: unknown, body: Buffer = Buffer.alloc(0)) {
  return readAnswer({ head: Buffer.from(JSON.stringify(head)), body });
}

const ended = { id: 1, ended: "exited", exitCode: 0, stdoutTruncated: false, maxRssKib: 9, wallMs: 1.5 };

describe("an answer to run", () => {
  it("is cut into stdout and stderr; what is no UTF-8 is replaced", () => {
    const body = Buffer.from([0x6f, 0xff, 0x6b, 0x65]);
    const outcome = readOutcome(answer({ ...ended, stdoutLength: 3, stderrLength: 1 }, body), 1000);
    expect(outcome).toEqual({
      kind: "exited",
      exitCode: 0,
      output: { stdout: "o\ufffdk", stderr: "e", stdoutTruncated: false, maxRssKib: 9, wallMs: 1.5 },
    });
  });

  it("with an error is a plugin that did not start", () => {
    const outcome = readOutcome(answer({ id: 1, error: { errno: "EINVAL", message: "id is in use" } }), 1000);
    expect(outcome).toMatchObject({ kind: "not-started", reason: "other", errno: "EINVAL" });
  });

  it("with a reason that a newer host may know is still told", () => {
    const head = { id: 1, ended: "not-started", reason: "moon-phase", errno: "EAGAIN", message: "wait" };
    expect(readOutcome(answer(head), 1000)).toMatchObject({ reason: "other", errno: "EAGAIN" });
  });

  it.each([
    ["an unknown end", { ...ended, ended: "vanished", stdoutLength: 0, stderrLength: 0 }],
    ["no exit code", { ...ended, exitCode: undefined, stdoutLength: 0, stderrLength: 0 }],
    ["lengths beside the body", { ...ended, stdoutLength: 7, stderrLength: 0 }],
  ])("with %s breaks the protocol", (_what, head) => {
    expect(() => readOutcome(answer(head), 1000)).toThrow(HostProtocolError);
  });

  it.each(["", "[]", "null", '{"id":"1"}', "{"])("without a usable head (%s) breaks the protocol", (text) => {
    const frame = { head: Buffer.from(text), body: Buffer.alloc(0) };
    expect(() => readAnswer(frame)).toThrow(HostProtocolError);
  });
});
