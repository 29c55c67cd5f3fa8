import type { Socket } from "node:net";
import { currentVersion } from "../cni/index.ts";
import { requestIdOf } from "./request-id.ts";
import type { ErrorReply } from "./to-error-reply.ts";
import { toErrorReply } from "./to-error-reply.ts";
import { UnservedRequestError } from "./unserved-request-error.ts";

const reasons: Readonly<Record<string, readonly [400 | 408 | 431, string]>> = {
  HPE_HEADER_OVERFLOW: [431, "the request's header is longer than 16 KiB"],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "the request did not come in time"],
};

/** Answers bytes that are no HTTP request, where an answer can still be written, and closes the connection. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  // A reply that is under way would be spoilt by a second one.
  const reply = (socket as Socket & { _httpMessage?: { headersSent: boolean } | null })._httpMessage;
  if (error.code === "ECONNRESET" || !socket.writable || reply?.headersSent === true) {
    socket.destroy();
    return;
  }
  const [status, message] = reasons[error.code ?? ""] ?? [400, "the request is no HTTP"];
  const requestId = requestIdOf({ headers: {} });
  const context = { requestId, command: undefined, containerId: "", cniVersion: currentVersion };
  socket.end(print(toErrorReply(new UnservedRequestError(status, message), context), requestId));
}

const statusTexts: Readonly<Record<number, string>> = {
  400: "Bad Request",
  408: "Request Timeout",
  431: "Request Header Fields Too Large",
};

function print(reply: ErrorReply, requestId: string): string {
  const body = JSON.stringify(reply.body);
  const headers = {
    ...reply.headers,
    "x-request-id": requestId,
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${reply.status} ${statusTexts[reply.status]}\r\n${lines.join("")}\r\n${body}`;
}
