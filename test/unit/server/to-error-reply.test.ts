import { describe, expect, it } from "vitest";
import { Failure } from "../../../src/attachments/failure.ts";
import { CniError } from "../../../src/cni/index.ts";
import { Deadline, DeadlineExceededError } from "../../../src/foundation/deadline.ts";
import { type ReplyContext, toErrorReply } from "../../../src/server/to-error-reply.ts";
import { UnservedRequestError } from "../../../src/server/unserved-request-error.ts";

const ofAdd: ReplyContext = { requestId: "r-1", command: "ADD", containerId: "c1", cniVersion: "0.4.0" };
const ofDelete: ReplyContext = { ...ofAdd, command: "DEL" };
const ofStatus: ReplyContext = { ...ofAdd, command: "STATUS" };

describe("an error as an HTTP reply", () => {
  it("has the status, code and header of its class, and the caller's CNI version", () => {
    const reply = toErrorReply(new Failure("network-missing", 'network "a/b": no such definition'), ofAdd);

    expect(reply).toMatchObject({
      status: 404,
      headers: { "x-multusd-failure": "network-missing" },
      body: { cniVersion: "0.4.0", code: 7, msg: 'network "a/b": no such definition' },
    });
  });

  it("keeps a failure's own code, a plugin's above all", () => {
    const failure = new Failure("delegate-failed", "plugin x", { code: 42, details: "port 7" });

    expect(toErrorReply(failure, ofDelete).body).toMatchObject({ code: 42, details: "port 7" });
  });

  it("takes a bare CNI error for a plugin's", () => {
    const reply = toErrorReply(new CniError("no address left", { code: 101, details: "pool a" }), ofDelete);

    expect(reply).toMatchObject({
      status: 502,
      headers: { "x-multusd-failure": "delegate-failed" },
      body: { code: 101, msg: "no address left", details: "pool a" },
    });
  });

  it.each([new CniError("?"), new Failure("delegate-failed", "?", { code: 0 })])(
    "never has code 0, which says nothing to a runtime (%#)",
    (error) => {
      expect(toErrorReply(error, ofAdd).body.code).toBe(999);
    },
  );

  it("answers STATUS with code 50 where the node is not ready, unless the failure says 51", () => {
    expect(toErrorReply(new Failure("not-ready", "x"), ofStatus).body.code).toBe(50);
    expect(toErrorReply(new Failure("not-ready", "x", { code: 51 }), ofStatus).body.code).toBe(51);
    expect(toErrorReply(new Failure("not-ready", "x"), ofAdd).body.code).toBe(11);
  });

  it("says when to try again, in whole seconds", () => {
    const busy = new Failure("too-busy", "queue full", { retryAfterSeconds: 2.2 });

    expect(toErrorReply(busy, ofAdd).headers["retry-after"]).toBe("3");
    expect(toErrorReply(new Failure("not-ready", "x"), ofAdd).headers["retry-after"]).toBe("1");
    expect(toErrorReply(new Failure("network-missing", "x"), ofAdd).headers).not.toHaveProperty(
      "retry-after",
    );
  });

  it("names the request in the details of an ADD", () => {
    expect(toErrorReply(new Failure("internal", "x"), ofAdd).body.details).toBe("request r-1");
    expect(toErrorReply(new Failure("internal", "x", { details: "y" }), ofAdd).body.details).toBe(
      "y; request r-1",
    );
  });

  it.each([
    new Failure("delegate-failed", "x", { details: "y" }),
    new CniError("x"),
    new TypeError("x is not a function"),
  ])("is the same bytes for each try of a DEL (%#)", (error) => {
    const first = toErrorReply(error, { ...ofDelete, requestId: "r-1" });
    const second = toErrorReply(error, { ...ofDelete, requestId: "r-2" });

    expect(JSON.stringify(second.body)).toBe(JSON.stringify(first.body));
  });

  it.each(["DEL", undefined] as const)(
    "keeps the wording that runtimes swallow out of msg and details (%s)",
    (command) => {
      const error = new CniError("Link NOT FOUND", { details: "open /proc/1: no such file or directory" });

      const { msg, details } = toErrorReply(error, { ...ofAdd, command }).body;

      expect(`${msg} ${details}`.toLowerCase()).not.toMatch(/not found|no such file or directory/);
    },
  );

  it("leaves a plugin's words as they are where they do no harm", () => {
    expect(toErrorReply(new CniError("bridge not found"), ofAdd).body.msg).toBe("bridge not found");
  });

  it("tells nothing of an unknown error but where to look", () => {
    const reply = toErrorReply(new TypeError("secret token abc"), ofAdd);

    expect(reply).toMatchObject({ status: 500, body: { code: 999 } });
    expect(JSON.stringify(reply)).not.toContain("secret");
    expect(reply.body.details).toContain("r-1");
  });

  it("is a deadline's failure where the time was over", () => {
    const reply = toErrorReply(new DeadlineExceededError(Deadline.at(0n)), ofAdd);

    expect(reply).toMatchObject({ status: 504, body: { code: 11 } });
  });

  it("has HTTP's own status where no route took the request", () => {
    const reply = toErrorReply(new UnservedRequestError(405, "POST only", ["POST"]), ofAdd);

    expect(reply).toMatchObject({
      status: 405,
      headers: { allow: "POST", "x-multusd-failure": "malformed-request" },
    });
  });

  it("is bounded and free of lone surrogates, whatever a plugin printed", () => {
    const { msg, details } = toErrorReply(
      new CniError(`\ud800${"x".repeat(1e6)}`, { details: "\udc00" }),
      ofDelete,
    ).body;

    expect(msg.length).toBeLessThan(33_000);
    expect(msg.isWellFormed() && details?.isWellFormed()).toBe(true);
  });
});
