import type { FastifyReply, FastifyRequest } from "fastify";
import { convertResult, currentVersion, parseResult, printResult } from "../cni/index.ts";
import { negotiatedType } from "./cni-schemas.ts";

/**
 * Sends what a request came to: to a caller that asked for it, exactly what its shim prints; else upstream's form, a
 * `Result` of the newest version, which upstream's shim converts by itself. No result is an empty body in both.
 */
export async function sendResult(
  request: FastifyRequest,
  reply: FastifyReply,
  result: string | undefined,
): Promise<FastifyReply> {
  if (result === undefined) return await reply.send();
  if (acceptsNegotiated(request.headers.accept)) return await reply.type(negotiatedType).send(result);
  const newest = convertResult(parseResult(result, currentVersion), currentVersion);
  return await reply.type("application/json").send(`{"Result":${printResult(newest)}}`);
}

function acceptsNegotiated(accept: string | undefined): boolean {
  const types = accept?.split(",").map((range) => range.split(";", 1)[0]?.trim().toLowerCase());
  return types?.includes(negotiatedType) === true;
}
