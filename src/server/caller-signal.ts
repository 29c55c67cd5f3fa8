import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** The connection was closed before the reply could be sent. Reason of the signals of `callerSignal`. */
export class CallerGoneError extends Error {
  override readonly name = "CallerGoneError";

  constructor() {
    super("the caller closed the connection before it had its reply");
  }
}

/** Requests of each connection whose reply is still owed; one listener a connection, however many it pipelines. */
const owedReplies = new WeakMap<Socket, Set<AbortController>>();

/**
 * Aborted with a `CallerGoneError` when the caller's connection closes before the reply has been sent. It is the
 * connection that counts: the request's own stream ends with its body. A caller that only shuts its sending side down
 * counts as gone, since a killed one looks the same.
 */
export function callerSignal(request: IncomingMessage, response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const { socket } = request;
  if (socket.destroyed) {
    controller.abort(new CallerGoneError());
    return controller.signal;
  }
  const owed = owedReplies.get(socket) ?? watch(socket);
  owed.add(controller);
  response.once("finish", () => owed.delete(controller));
  return controller.signal;
}

function watch(socket: Socket): Set<AbortController> {
  const owed = new Set<AbortController>();
  owedReplies.set(socket, owed);
  socket.once("close", () => {
    for (const controller of owed) controller.abort(new CallerGoneError());
    owed.clear();
  });
  return owed;
}
