import type { FastifyInstance } from "fastify";

/** `GET /openapi.json`. `describe` is called once, at the first request: few nodes are ever asked. */
export function registerOpenapiRoute(app: FastifyInstance, describe: () => Promise<object>): void {
  let text: Promise<string> | undefined;
  app.get("/openapi.json", { schema: { summary: "this API" } }, async (_request, reply) => {
    text ??= describe().then((document) => JSON.stringify(document));
    try {
      return await reply.type("application/json").send(await text);
    } catch (error) {
      text = undefined;
      throw error;
    }
  });
}
