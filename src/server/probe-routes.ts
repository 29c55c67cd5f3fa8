import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Failure } from "../attachments/failure.ts";
import type { ReadinessGap } from "../attachments/views.ts";
import type { Intake } from "./intake.ts";
import { NotReady, Ready } from "./operator-schemas.ts";
import { replyContextOf } from "./request-facts.ts";
import type { ServerParts } from "./server-parts.ts";
import { toErrorReply } from "./to-error-reply.ts";

/** `/healthz` and `/readyz`, GET and POST: upstream's shim posts, with the body `null` or none at all. */
export function registerProbeRoutes(app: FastifyInstance, parts: ServerParts, intake: Intake): void {
  app.register(async (probes) => {
    // A probe says nothing; whatever its body is, it is read and dropped.
    probes.removeAllContentTypeParsers();
    probes.addContentTypeParser("*", { parseAs: "buffer" }, (_request, _body, done) => done(null, undefined));
    probes.route({
      method: ["GET", "POST"],
      url: "/healthz",
      schema: { summary: "200 while the process can serve DEL" },
      handler: async (_request, reply) => await reply.send(),
    });
    probes.route({
      method: ["GET", "POST"],
      url: "/readyz",
      schema: {
        summary: "200 when ADD can be served, else 503 and what is missing",
        response: { 200: Ready, 503: NotReady },
      },
      handler: async (request, reply) => await sendReadiness(request, reply, parts, intake),
    });
  });
}

async function sendReadiness(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: ServerParts,
  intake: Intake,
): Promise<FastifyReply> {
  const items = [...(intake.isDraining ? [shutdownGap] : []), ...parts.readiness.missing()];
  if (items.length === 0) return await reply.send({ items });
  const names = items.map(({ what }) => what).join(", ");
  const failure = new Failure("not-ready", `ADD cannot be served: ${names}`);
  const { status, headers, body } = toErrorReply(failure, replyContextOf(request));
  return await reply
    .code(status)
    .headers(headers)
    .send({ ...body, items });
}

const shutdownGap: ReadinessGap = {
  what: "shutdown",
  detail: "the daemon is stopping and takes nothing but DEL",
};
