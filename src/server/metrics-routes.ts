import type { FastifyInstance } from "fastify";
import type { ServerParts } from "./server-parts.ts";

/** `GET /metrics` on the socket; over TCP it is `listenMetrics`. */
export function registerMetricsRoutes(app: FastifyInstance, parts: ServerParts): void {
  app.get("/metrics", { schema: { summary: "Prometheus metrics" } }, async (_request, reply) => {
    const { contentType, text } = await parts.renderMetrics();
    return await reply.header("content-type", contentType).send(text);
  });
}
