import type { FastifyRequest } from "fastify";
import { currentVersion } from "../cni/index.ts";
import type { ReplyContext } from "./to-error-reply.ts";

type CniFacts = Omit<ReplyContext, "requestId">;

/** Beside the request and not on it: no global type has to be widened for one route. */
const factsOfRequest = new WeakMap<FastifyRequest, CniFacts>();

/** Remembers what an error's text will depend on, as soon as it is known. */
export function noteFacts(request: FastifyRequest, facts: CniFacts): void {
  factsOfRequest.set(request, facts);
}

export function replyContextOf(request: FastifyRequest): ReplyContext {
  const facts = factsOfRequest.get(request) ?? { ...noFacts, command: guessCommand(request) };
  return { requestId: request.id, ...facts };
}

const noFacts = { containerId: "", cniVersion: currentVersion };

function guessCommand(request: FastifyRequest): "operator" | undefined {
  return request.routeOptions.url?.startsWith("/v1/") === true ? "operator" : undefined;
}
