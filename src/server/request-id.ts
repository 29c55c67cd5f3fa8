import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** The caller's own `x-request-id` where it can stand in a log line and a header, else a new one. */
export function requestIdOf(request: Pick<IncomingMessage, "headers">): string {
  const given = request.headers["x-request-id"];
  return typeof given === "string" && /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/.test(given)
    ? given
    : randomUUID();
}
