import Fastify, { type FastifyInstance, type FastifyServerOptions } from "fastify";
import { parseBody } from "./parse-body.ts";
import { requestIdOf } from "./request-id.ts";
import { jsonSerializer, typeboxValidator } from "./typebox-validation.ts";

/** Contract §2: a longer body is 413. */
const maxBodyBytes = 1_048_576;

type AppOptions = Pick<FastifyServerOptions, "clientErrorHandler" | "frameworkErrors">;

/**
 * Given here and not by their setters, these keep Fastify from loading Ajv and fast-json-stringify. Its types know no
 * compilers but Ajv's.
 */
const schemaController = {
  compilersFactory: { buildValidator: () => typeboxValidator, buildSerializer: () => jsonSerializer },
} as unknown as NonNullable<FastifyServerOptions["schemaController"]>;

/** An empty Fastify app with our limits, TypeBox as its validator, and JSON as the only kind of body. */
export function buildApp(options: AppOptions = {}): FastifyInstance {
  const app = Fastify({
    bodyLimit: maxBodyBytes,
    // From the first byte of a request to its last; how long an answer takes is not bounded here.
    requestTimeout: 30_000,
    http: { headersTimeout: 10_000, connectionsCheckingInterval: 2_000, requireHostHeader: false },
    keepAliveTimeout: 15_000,
    // A DEL is taken until the very end; `Intake` refuses the rest.
    return503OnClosing: false,
    genReqId: requestIdOf,
    routerOptions: { maxParamLength: 256 },
    schemaController,
    ...options,
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => {
    try {
      done(null, parseBody(String(body)));
    } catch (error) {
      done(error instanceof Error ? error : new Error("body not read", { cause: error }), undefined);
    }
  });
  return app;
}
