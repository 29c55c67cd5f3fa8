import type { FastifyInstance } from "fastify";
import { buildApp } from "./build-app.ts";
import { Intake } from "./intake.ts";
import { registerRoutes } from "./register-routes.ts";
import type { ServerParts } from "./server-parts.ts";

/**
 * The OpenAPI document of the routes, from the schemas that validate them. Made on a second, unused app, so that a
 * daemon that is never asked does not load what writes it.
 */
export async function describeApi(parts: ServerParts): Promise<object> {
  const { fastifySwagger } = await import("@fastify/swagger");
  const app: FastifyInstance = buildApp();
  await app.register(fastifySwagger, {
    openapi: {
      openapi: "3.1.0",
      info: { title: "multusd", version: parts.version, description: "API of the node daemon on its socket" },
    },
  });
  await app.register(async (routes) => registerRoutes(routes, parts, new Intake(), async () => ({})));
  await app.ready();
  const document = app.swagger();
  await app.close();
  return document;
}
