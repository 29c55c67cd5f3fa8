import type { FastifyReply, FastifyRequest } from "fastify";
import { Failure } from "../attachments/failure.ts";
import { Deadline, DeadlineExceededError } from "../foundation/deadline.ts";
import { CallerGoneError, callerSignal } from "./caller-signal.ts";
import type { Intake } from "./intake.ts";
import { type ReadInvocation, readInvocation, type WireRequest } from "./read-invocation.ts";
import { noteFacts, replyContextOf } from "./request-facts.ts";
import type { ServerParts, UseCases } from "./server-parts.ts";
import { whenStarted } from "./when-started.ts";
import { peekCommand, peekContainerId } from "./wire-environment.ts";

/** What to run for a request that has been understood. */
export type Carry<T> = (useCases: UseCases, read: ReadInvocation, signal: AbortSignal) => Promise<T>;

/**
 * The way of every CNI request from its body to its use case: read, refused while draining (all but DEL), held until
 * the daemon may work, and begun only if its caller still waits. Rejects with what becomes the reply.
 */
export async function carryOut<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: ServerParts,
  intake: Intake,
  carry: Carry<T>,
): Promise<T> {
  const signal = callerSignal(request.raw, reply.raw);
  const read = readNoted(request, parts);
  const { command, deadlineNs } = read.invocation;
  if (command === "ADD" || command === "GC") intake.assertOpen();
  return await intake.run(async () => {
    const useCases = await whenAllowed(parts, deadlineNs, signal).catch((reason: unknown) => {
      throw asRefusal(reason);
    });
    return await carry(useCases, read, signal);
  });
}

function readNoted(request: FastifyRequest, parts: ServerParts): ReadInvocation {
  const { body } = request;
  const command = peekCommand(body);
  const containerId = peekContainerId(body);
  const facts = { command, containerId, cniVersion: replyContextOf(request).cniVersion };
  noteFacts(request, facts);
  const wire: WireRequest = {
    body,
    schemaProblem: schemaProblemOf(request),
    headers: request.headers,
    requestId: request.id,
  };
  const read = readInvocation(wire, parts.clock);
  noteFacts(request, { ...facts, cniVersion: read.cniVersion });
  if (read.notes.length > 0) {
    const fields = { requestId: request.id, command, containerId, notes: read.notes };
    parts.log.warn(fields, "parts of a request were passed over");
  }
  return read;
}

function schemaProblemOf(request: FastifyRequest): WireRequest["schemaProblem"] {
  const error = request.validationError;
  if (error === undefined) return undefined;
  const first = error.validation[0];
  const missing = first?.params["requiredProperties"];
  const isAboutEnvironment =
    first?.instancePath.startsWith("/env") === true || (Array.isArray(missing) && missing[0] === "env");
  return { message: error.message, isAboutEnvironment };
}

/** Waits for the daemon, but not longer than the caller does; then nothing may begin any more. */
async function whenAllowed(
  parts: ServerParts,
  deadlineNs: bigint | undefined,
  signal: AbortSignal,
): Promise<UseCases> {
  if (deadlineNs === undefined) return await whenStarted(parts, signal);
  using untilDeadline = Deadline.at(deadlineNs).signal(signal);
  return await whenStarted(parts, untilDeadline);
}

function asRefusal(reason: unknown): unknown {
  const began = "before the request began; nothing was started";
  if (reason instanceof CallerGoneError) {
    return new Failure("deadline-exceeded", `the caller has gone ${began}`, { cause: reason });
  }
  if (reason instanceof DeadlineExceededError) {
    return new Failure("deadline-exceeded", `the caller's time was over ${began}`, { cause: reason });
  }
  return reason;
}
