import type { InjectOptions } from "fastify";
import { Check } from "typebox/schema";
import { describe, expect, it } from "vitest";
import { Failure } from "../../../src/attachments/failure.ts";
import { CniError } from "../../../src/cni/index.ts";
import { CniErrorBody } from "../../../src/server/cni-error-body.ts";
import { createServer } from "../../../src/server/create-server.ts";
import { cniBody, FakeParts } from "./fakes.ts";

const negotiated = { accept: "application/vnd.multusd.v1+json" };

function serve() {
  const parts = new FakeParts();
  const server = createServer(parts);
  const send = async (options: InjectOptions) => await server.app.inject(options);
  const cni = async (env: object, headers: Record<string, string> = negotiated) =>
    await send({ method: "POST", url: "/cni", headers, payload: cniBody({ ...env }) });
  return { parts, server, send, cni };
}

describe("POST /cni", () => {
  it("answers our shim with exactly what it prints", async () => {
    const { parts, cni } = serve();
    const printed = '{ "cniVersion":"0.3.1", "ips":[], "big":12345678901234567890 }';
    parts.cni.behaviour = async () => printed;

    const reply = await cni({ CNI_COMMAND: "ADD" });

    expect(reply.statusCode).toBe(200);
    expect(reply.body).toBe(printed);
    expect(reply.headers["content-type"]).toContain("application/vnd.multusd.v1+json");
  });

  it("answers upstream's shim with the result in version 1.1.0", async () => {
    const { cni } = serve();

    const reply = await cni({ CNI_COMMAND: "ADD" }, { accept: "*/*" });

    expect(reply.json()).toEqual({ Result: { cniVersion: "1.1.0", ips: [{ address: "10.1.0.7/16" }] } });
  });

  it.each(["0.2.0", "0.3.1", "0.4.0", "1.1.0"])(
    "converts a result of version %s for upstream's shim",
    async (cniVersion) => {
      const { parts, cni } = serve();
      const ip =
        cniVersion === "0.2.0"
          ? { ip4: { ip: "10.1.0.7/16" } }
          : { ips: [{ version: "4", address: "10.1.0.7/16" }] };
      parts.cni.behaviour = async () => JSON.stringify({ cniVersion, ...ip });

      const { Result } = (await cni({ CNI_COMMAND: "ADD" }, {})).json();

      expect(Result).toMatchObject({ cniVersion: "1.1.0", ips: [{ address: "10.1.0.7/16" }] });
    },
  );

  it.each([
    ["DEL", "delete"],
    ["CHECK", "check"],
  ])("answers %s with 200 and no body in both forms", async (command, operation) => {
    const { parts, cni } = serve();

    for (const headers of [negotiated, {}]) {
      const reply = await cni({ CNI_COMMAND: command }, headers);
      expect([reply.statusCode, reply.body]).toEqual([200, ""]);
    }
    expect(parts.cni.calls.map((call) => call.operation)).toEqual([operation, operation]);
  });

  it.each([
    ["GC", "collectGarbage"],
    ["STATUS", "status"],
  ])("hands %s to its use case", async (command, operation) => {
    const { parts, send } = serve();
    const payload = cniBody({ CNI_COMMAND: command }, '{"cniVersion":"1.1.0","name":"n"}');

    const reply = await send({ method: "POST", url: "/cni", payload });

    expect(reply.statusCode).toBe(200);
    expect(parts.cni.calls.map((call) => call.operation)).toEqual([operation]);
  });

  it.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "garbage",
    "application/json; charset=latin1",
    undefined,
  ])("reads the body as JSON with content type %s", async (type) => {
    const { send } = serve();
    const headers = type === undefined ? {} : { "content-type": type };

    const payload = Buffer.from(JSON.stringify(cniBody({ CNI_COMMAND: "DEL" })));
    const reply = await send({ method: "POST", url: "/cni", headers, payload });

    expect(reply.statusCode).toBe(200);
  });

  it.each([
    ["nothing", "", 6],
    ["no JSON", '{"env":{"CNI_COMMAND":"ADD"},', 6],
    ["null", "null", 6],
    ["a list", "[]", 6],
    ["deep nesting", "[".repeat(200_000), 6],
    ["no environment", '{"config":"e30="}', 4],
    ["an environment that is a list", '{"env":[],"config":"e30="}', 4],
    ["an environment with a number", '{"env":{"CNI_COMMAND":"ADD","X":7},"config":"e30="}', 4],
    ["no configuration", '{"env":{"CNI_COMMAND":"ADD"}}', 6],
  ])("refuses a body that is %s", async (_what, payload, code) => {
    const { parts, send } = serve();

    const reply = await send({ method: "POST", url: "/cni", payload });

    expect(reply.statusCode).toBe(400);
    expect(reply.headers["x-multusd-failure"]).toBe("malformed-request");
    expect(reply.json()).toMatchObject({ cniVersion: "1.1.0", code });
    expect(parts.cni.calls).toEqual([]);
  });

  it("refuses a body over 1 MiB with 413", async () => {
    const { send } = serve();

    const reply = await send({ method: "POST", url: "/cni", payload: `{"config":"${"A".repeat(2 ** 20)}"}` });

    expect(reply.statusCode).toBe(413);
    expect(Check(CniErrorBody, reply.json())).toBe(true);
    expect(reply.headers["x-multusd-failure"]).toBe("malformed-request");
  });

  it("logs what of a DEL it passed over, without the configuration", async () => {
    const { parts, send } = serve();

    await send({
      method: "POST",
      url: "/cni",
      payload: { ...cniBody({ CNI_COMMAND: "DEL" }), config: "c2VjcmV0" },
    });

    const [line] = parts.log.lines;
    expect(line?.fields).toMatchObject({ containerId: "c1", command: "DEL" });
    expect(JSON.stringify(parts.log.lines)).not.toContain("secret");
  });

  it("reports a failure in the version of the caller's configuration", async () => {
    const { parts, send } = serve();
    parts.cni.behaviour = async () => {
      throw new Failure("network-missing", "no such network", { details: "searched a" });
    };

    const payload = cniBody({ CNI_COMMAND: "ADD" }, '{"cniVersion":"0.4.0","name":"n"}');
    const reply = await send({ method: "POST", url: "/cni", payload, headers: { "x-request-id": "r-7" } });

    expect(reply.statusCode).toBe(404);
    expect(reply.json()).toEqual({
      cniVersion: "0.4.0",
      code: 7,
      msg: "no such network",
      details: "searched a; request r-7",
    });
  });

  it("gives a plugin's own code, and for a DEL the same bytes each time", async () => {
    const { parts, cni } = serve();
    parts.cni.behaviour = async () => {
      throw new CniError("Link not found", { code: 42 });
    };

    const [first, second] = [await cni({ CNI_COMMAND: "DEL" }), await cni({ CNI_COMMAND: "DEL" })];

    expect(first.statusCode).toBe(502);
    expect(first.json()).toEqual({ cniVersion: "1.0.0", code: 42, msg: "Link missing" });
    expect(second.body).toBe(first.body);
    expect(second.headers["x-request-id"]).not.toBe(first.headers["x-request-id"]);
  });

  it("hides an unknown error from the caller and logs it", async () => {
    const { parts, cni } = serve();
    const bug = new TypeError("token abc");
    parts.cni.behaviour = async () => {
      throw bug;
    };

    const reply = await cni({ CNI_COMMAND: "ADD" });

    expect(reply.statusCode).toBe(500);
    expect(reply.body).not.toContain("token");
    expect(parts.log.lines).toContainEqual(
      expect.objectContaining({ level: "error", fields: expect.objectContaining({ err: bug }) }),
    );
  });

  it("begins nothing for a request whose time is over", async () => {
    const { parts, cni } = serve();
    const headers = { "x-multusd-boot": parts.clock.bootId, "x-multusd-deadline": "1" };

    const reply = await cni({ CNI_COMMAND: "DEL" }, headers);

    expect(reply.statusCode).toBe(504);
    expect(reply.json().code).toBe(11);
    expect(parts.cni.calls).toEqual([]);
  });
});

describe("before the daemon may work", () => {
  it("answers probes, and holds a request until it may", async () => {
    const { parts, send, cni } = serve();
    const started = Promise.withResolvers<Awaited<typeof parts.useCases>>();
    parts.useCases = started.promise;

    const held = cni({ CNI_COMMAND: "DEL" });

    expect((await send({ method: "GET", url: "/healthz" })).statusCode).toBe(200);
    expect(parts.cni.calls).toEqual([]);
    started.resolve({ cni: parts.cni, operator: parts.operator });
    expect((await held).statusCode).toBe(200);
  });

  it.each([
    ["ADD", "deadline-exceeded"],
    // For a DEL that class would be final, and nobody has decided by policy.
    ["DEL", "not-ready"],
  ])("gives %s up at the caller's deadline: %s", async (command, failureClass) => {
    const { parts, cni } = serve();
    parts.useCases = Promise.withResolvers<never>().promise;
    const deadline = process.hrtime.bigint() + 30_000_000n;
    parts.clock.now = process.hrtime.bigint();

    const reply = await cni(
      { CNI_COMMAND: command },
      { "x-multusd-boot": parts.clock.bootId, "x-multusd-deadline": deadline.toString() },
    );

    expect(reply.headers["x-multusd-failure"]).toBe(failureClass);
    expect(parts.cni.calls).toEqual([]);
  });

  it("is not ready where it could not start", async () => {
    const parts = new FakeParts();
    parts.useCases = Promise.reject(new Error("lock is held"));
    const { app } = createServer(parts);
    await new Promise(setImmediate);

    const payload = cniBody({ CNI_COMMAND: "ADD" });
    const reply = await app.inject({ method: "POST", url: "/cni", payload });

    expect([reply.statusCode, reply.json().code]).toEqual([503, 11]);
  });
});

describe("POST /delegate", () => {
  const newest = '{"cniVersion":"1.1.0","name":"n","type":"macvlan"}';

  const attributes =
    '{"ips":["10.0.0.1/24"],"mac":"02:00:00:00:00:07","cni-args":{"big":12345678901234567890,"f":1.50}}';

  it("hands the attributes over, numbers as they were written", async () => {
    const { parts, send } = serve();
    const body = JSON.stringify(cniBody({ CNI_COMMAND: "ADD" }));

    const payload = `${body.slice(0, -1)},"interfaceAttributes":${attributes}}`;
    const reply = await send({ method: "POST", url: "/delegate", payload });

    expect(reply.statusCode).toBe(200);
    expect(reply.json()).toHaveProperty("Result.ips");
    expect(parts.cni.attributes).toEqual([
      { ips: ["10.0.0.1/24"], mac: "02:00:00:00:00:07", cniArgs: '{"big":12345678901234567890,"f":1.50}' },
    ]);
  });

  it("detaches on DEL", async () => {
    const { parts, send } = serve();

    const reply = await send({ method: "POST", url: "/delegate", payload: cniBody({ CNI_COMMAND: "DEL" }) });

    expect([reply.statusCode, reply.body]).toEqual([200, ""]);
    expect(parts.cni.calls[0]?.operation).toBe("detachDelegate");
  });

  it.each([
    ["CHECK", "check"],
    ["STATUS", "statusOfDelegate"],
  ] as const)("takes %s, and answers success with nothing", async (command, operation) => {
    const { send, parts } = serve();

    const payload = cniBody({ CNI_COMMAND: command }, newest);
    const reply = await send({ method: "POST", url: "/delegate", payload });

    expect([reply.statusCode, reply.body]).toEqual([200, ""]);
    expect(parts.cni.calls[0]?.operation).toBe(operation);
  });

  it("refuses commands it does not have, and attributes of the wrong type", async () => {
    const { send } = serve();
    const garbage = { ...cniBody({ CNI_COMMAND: "GC" }, newest) };
    const wrong = { ...cniBody({ CNI_COMMAND: "ADD" }), interfaceAttributes: { ips: "10.0.0.1" } };

    expect((await send({ method: "POST", url: "/delegate", payload: garbage })).json().code).toBe(4);
    expect((await send({ method: "POST", url: "/delegate", payload: wrong })).json().code).toBe(6);
  });
});

describe("probes", () => {
  it.each(["GET", "POST"] as const)("answer %s whatever the body", async (method) => {
    const { send } = serve();
    const bodies: InjectOptions[] = [
      {},
      ...(method === "GET"
        ? []
        : [{ payload: "null" }, { payload: "{broken", headers: { "content-type": "x/y" } }]),
    ];

    for (const body of bodies) {
      for (const url of ["/healthz", "/readyz"]) {
        expect((await send({ method, url, ...body })).statusCode).toBe(200);
      }
    }
  });

  it("say what is missing for an ADD", async () => {
    const { parts, send } = serve();
    parts.gaps.push({ what: "manifests", detail: "not read yet" });

    const reply = await send({ method: "GET", url: "/readyz" });

    expect(reply.statusCode).toBe(503);
    expect(reply.headers).toMatchObject({ "x-multusd-failure": "not-ready", "retry-after": "1" });
    expect(reply.json()).toMatchObject({ code: 11, items: [{ what: "manifests", detail: "not read yet" }] });
    expect((await send({ method: "GET", url: "/healthz" })).statusCode).toBe(200);
  });
});

describe("while draining", () => {
  it("refuses ADD and GC, takes DEL, and is healthy but not ready", async () => {
    const { server, send, cni } = serve();
    server.intake.drain();

    const refused = await cni({ CNI_COMMAND: "ADD" });

    expect([refused.statusCode, refused.json().code]).toEqual([503, 11]);
    expect(refused.headers["retry-after"]).toMatch(/^\d+$/);
    expect((await cni({ CNI_COMMAND: "DEL" })).statusCode).toBe(200);
    expect((await send({ method: "GET", url: "/healthz" })).statusCode).toBe(200);
    const ready = await send({ method: "GET", url: "/readyz" });
    expect([ready.statusCode, ready.json().items[0].what]).toEqual([503, "shutdown"]);
  });
});

describe("what no route takes", () => {
  it.each([
    ["GET", "/nowhere", 404],
    ["POST", "/cni/", 404],
    ["GET", "/v1/deletions//retry", 404],
    ["GET", "/cni", 405],
    ["DELETE", "/healthz", 405],
    ["PUT", "/v1/deletions/abc/retry", 405],
    ["OPTIONS", "/metrics", 405],
  ] as const)("%s %s is a CNI error with status %i", async (method, url, status) => {
    const { parts, send } = serve();

    const reply = await send({ method, url, ...(method === "POST" ? { payload: "{broken" } : {}) });

    expect(reply.statusCode).toBe(status);
    expect(Check(CniErrorBody, reply.json())).toBe(true);
    expect(reply.headers["x-multusd-failure"]).toBe("malformed-request");
    expect(reply.headers["x-request-id"]).toBeTypeOf("string");
    expect(parts.counts.at(-1)).toMatchObject({ handler: "NotFound", code: String(status) });
  });

  it("names the methods that a path has", async () => {
    const { send } = serve();

    expect((await send({ method: "GET", url: "/cni" })).headers["allow"]).toBe("POST");
    expect((await send({ method: "PATCH", url: "/healthz" })).headers["allow"]).toBe("GET, HEAD, POST");
  });

  it.each(["/v1/deletions/%ZZ", `/v1/deletions/${"a".repeat(5000)}`])(
    "answers the path %.30s as a CNI error",
    async (url) => {
      const { parts, send } = serve();

      const reply = await send({ method: "GET", url });

      expect(reply.statusCode).toBeGreaterThanOrEqual(400);
      expect(reply.statusCode).toBeLessThan(500);
      expect(Check(CniErrorBody, reply.json())).toBe(true);
      expect(reply.headers["x-request-id"]).toBeTypeOf("string");
      expect(parts.counts).toHaveLength(1);
    },
  );
});

describe("a request ID", () => {
  it("is the caller's where it can stand in a log line", async () => {
    const { send } = serve();

    const reply = await send({ method: "GET", url: "/healthz", headers: { "x-request-id": "abc-1" } });

    expect(reply.headers["x-request-id"]).toBe("abc-1");
  });

  it.each(["", "a b", "ä", "x".repeat(200), '"'])("is made where the caller's is %j", async (given) => {
    const { send } = serve();

    const reply = await send({ method: "GET", url: "/healthz", headers: { "x-request-id": given } });

    expect(reply.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("is the invocation's too", async () => {
    const { parts, cni } = serve();

    await cni({ CNI_COMMAND: "ADD" }, { "x-request-id": "abc-2" });

    expect(parts.cni.last.requestId).toBe("abc-2");
  });
});

describe("the counter of requests", () => {
  it("has the route's pattern, the status and the method in small letters", async () => {
    const { parts, send, cni } = serve();

    await cni({ CNI_COMMAND: "DEL" });
    await send({ method: "GET", url: "/v1/deletions/nope" });

    expect(parts.counts).toEqual([
      { handler: "/cni", code: "200", method: "post" },
      { handler: "/v1/deletions/:id", code: "404", method: "get" },
    ]);
  });
});

describe("GET /metrics", () => {
  it("sends what the instruments render", async () => {
    const { send } = serve();

    const reply = await send({ method: "GET", url: "/metrics" });

    expect(reply.body).toBe("multus_up 1\n");
    expect(reply.headers["content-type"]).toBe("text/plain; version=0.0.4");
  });
});
