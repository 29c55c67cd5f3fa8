import type { DaemonReply } from "./daemon-client.ts";

/** The daemon answered, but not with what was asked for. `message` is the daemon's own text. */
export class FailedAnswerError extends Error {
  override readonly name = "FailedAnswerError";
}

/**
 * The parsed body of a successful reply.
 * @throws {FailedAnswerError}
 */
export function answerOf(reply: DaemonReply): unknown {
  if (reply.status === 200) return parse(reply);
  const body = parse(reply);
  const { msg, details } = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  if (typeof msg !== "string")
    throw new FailedAnswerError(`the daemon answered with HTTP status ${reply.status}`);
  throw new FailedAnswerError(typeof details === "string" ? `${msg}; ${details}` : msg);
}

function parse(reply: DaemonReply): unknown {
  if (reply.text === "") return undefined;
  try {
    return JSON.parse(reply.text);
  } catch (cause) {
    throw new FailedAnswerError(`the daemon's answer (HTTP status ${reply.status}) is no JSON`, { cause });
  }
}
