import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Failure } from "../../../src/attachments/failure.ts";
import { parseBody } from "../../../src/server/parse-body.ts";
import { readInvocation } from "../../../src/server/read-invocation.ts";
import { UnservedRequestError } from "../../../src/server/unserved-request-error.ts";
import { cniBody, FakeClock } from "./fakes.ts";

const variables = ["CNI_NETNS", "CNI_IFNAME", "CNI_ARGS", "CNI_PATH"];

function read(body: unknown, headers: Record<string, string> = {}) {
  return readInvocation({ body, schemaProblem: undefined, headers, requestId: "r" }, new FakeClock());
}

describe("whatever comes over the socket", () => {
  it("is read as JSON or refused with 400, and never crashes", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), fc.string({ unit: "binary" })), (text) => {
        try {
          parseBody(text);
        } catch (error) {
          expect(error).toBeInstanceOf(UnservedRequestError);
        }
      }),
    );
  });

  it("is an invocation or a malformed-request failure, whatever body and headers are", () => {
    const headers = fc.dictionary(
      fc.constantFrom("x-multusd-boot", "x-multusd-start", "x-multusd-deadline"),
      fc.string(),
    );
    const strange = fc.record({
      env: fc.dictionary(fc.constantFrom("CNI_COMMAND", ...variables), fc.anything()),
    });

    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), strange), headers, (body, given) => {
        try {
          read(body, given);
        } catch (error) {
          expect(error).toBeInstanceOf(Failure);
          expect(error).toHaveProperty("failureClass", "malformed-request");
        }
      }),
    );
  });

  it("is taken where it is a DEL of a container that can be told, however odd the rest", () => {
    const env = fc.dictionary(fc.constantFrom(...variables), fc.jsonValue());

    fc.assert(
      fc.property(env, fc.jsonValue(), (odd, config) => {
        const body = { ...cniBody({ ...odd, CNI_COMMAND: "DEL", CNI_CONTAINERID: "c1" }), config };
        expect(read(body).invocation).toMatchObject({ command: "DEL", containerId: "c1" });
      }),
    );
  });
});
