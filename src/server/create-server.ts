import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { answerClientError } from "./answer-client-error.ts";
import { buildApp } from "./build-app.ts";
import { describeApi } from "./describe-api.ts";
import { fromFrameworkError } from "./framework-error.ts";
import { Intake } from "./intake.ts";
import { onceAnswered } from "./once-answered.ts";
import { registerRoutes } from "./register-routes.ts";
import { replyContextOf } from "./request-facts.ts";
import { RouteMethods } from "./route-methods.ts";
import type { ServerParts } from "./server-parts.ts";
import { toErrorReply } from "./to-error-reply.ts";
import { UnservedRequestError } from "./unserved-request-error.ts";

/** More idle or slow connections than this are closed as they come; a node's runtime opens a few dozen. */
const maxConnections = 2048;

export interface Server {
  readonly app: FastifyInstance;
  readonly intake: Intake;
}

/** All routes of contract §2, listening nowhere yet (`listenOnSocket`). Can be made again with the same parts. */
export function createServer(parts: ServerParts): Server {
  // Who starts the daemon reports why it could not; here it must only not be an unhandled rejection.
  parts.useCases.catch(() => undefined);
  const intake = new Intake();
  const app = buildApp({
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => {
      begin(request, reply, parts);
      sendError(error, request, reply, parts);
    },
  });
  app.server.maxConnections = maxConnections;
  const methods = new RouteMethods();
  app.addHook("onRoute", ({ url, method }) => methods.add(url, method));
  app.addHook("onRequest", async (request, reply) => {
    begin(request, reply, parts);
    // Before the body is read: whatever it is, it goes nowhere.
    if (request.is404) throw unserved(request, methods);
    // Everything here is JSON, whatever a caller says or forgets to say.
    request.raw.headers["content-type"] = "application/json";
  });
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, parts));
  registerRoutes(app, parts, intake, async () => await describeApi(parts));
  return { app, intake };
}

function unserved(request: FastifyRequest, methods: RouteMethods): UnservedRequestError {
  const path = request.url.split("?", 1)[0] ?? "";
  const allow = methods.allowed(path);
  if (allow.length === 0) return new UnservedRequestError(404, "multusd has no such route");
  return new UnservedRequestError(
    405,
    `multusd takes ${allow.join(", ")} here, not ${request.method}`,
    allow,
  );
}

/** What every reply carries, and its count: `onResponse` would be silent about callers that left. */
function begin(request: FastifyRequest, reply: FastifyReply, parts: ServerParts): void {
  reply.headers({ "x-request-id": request.id, server: `multusd/${parts.version}` });
  onceAnswered(reply.raw, (code) => {
    const handler = request.routeOptions.url ?? "NotFound";
    parts.countRequest({ handler, code, method: request.method.toLowerCase() });
  });
}

function sendError(cause: unknown, request: FastifyRequest, reply: FastifyReply, parts: ServerParts): void {
  const context = replyContextOf(request);
  const error = fromFrameworkError(cause);
  const { status, headers, body, failureClass } = toErrorReply(error, context);
  const { command, containerId, requestId } = context;
  const fields = { requestId, command, containerId, status, failureClass, code: body.code };
  if (failureClass === "internal") parts.log.error({ ...fields, err: cause }, "request failed unexpectedly");
  else if (failureClass === "malformed-request")
    parts.log.warn({ ...fields, reason: body.msg }, "request refused");
  else parts.log.debug(fields, "request failed");
  // Fastify asks for the connection's end where a body was not read; a client that still writes it would then see a
  // broken pipe instead of this reply. Node reads the rest and drops it, within `requestTimeout`.
  reply.removeHeader("connection").code(status).headers(headers).type("application/json").send(body);
}
