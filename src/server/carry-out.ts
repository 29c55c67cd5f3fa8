import type { FastifyReply, FastifyRequest } from "fastify";
import { Failure } from "../attachments/failure.ts";
import type { CniCommand } from "../attachments/invocation.ts";
import { Deadline, DeadlineExceededError } from "../foundation/deadline.ts";
import { CallerGoneError, callerSignal } from "./caller-signal.ts";
import type { Intake } from "./intake.ts";
import { type ReadInvocation, readInvocation, type WireRequest } from "./read-invocation.ts";
import { noteFacts, replyContextOf } from "./request-facts.ts";
import type { ServerParts, UseCases } from "./server-parts.ts";
import { readShimFacts } from "./shim-facts.ts";
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
    if (signal.aborted) throw callerGone(signal.reason);
    if (deadlineNs !== undefined && parts.clock.nowNs() >= deadlineNs) throw tooLate();
    const useCases = await whenAllowed(parts, deadlineNs, signal).catch((reason: unknown) => {
      throw asRefusal(reason, command);
    });
    try {
      return await carry(useCases, read, signal);
    } finally {
      const shim = readShimFacts(request.headers, command, parts.clock);
      if (shim !== undefined) parts.noteShim(shim);
    }
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

function asRefusal(reason: unknown, command: CniCommand): unknown {
  if (reason instanceof CallerGoneError) return callerGone(reason);
  if (!(reason instanceof DeadlineExceededError)) return reason;
  // The shim takes a DEL that was not done in time for decided, but one that met no ready daemon by its policy.
  return command === "DEL" ? new Failure("not-ready", held, { cause: reason }) : tooLate(reason);
}

const held = "multusd on this node has not taken over from its predecessor yet; nothing was started";

function callerGone(cause: unknown): Failure {
  return new Failure(
    "deadline-exceeded",
    "the caller has gone before the request began; nothing was started",
    {
      cause,
    },
  );
}

function tooLate(cause?: unknown): Failure {
  const message = "the caller's time was over before the request began; nothing was started";
  return new Failure("deadline-exceeded", message, { cause });
}
