import type { ServerResponse } from "node:http";

/** Status in the counters of a request whose caller had gone before its reply was written (nginx's number for it). */
const callerGoneStatus = "499";

/** Calls `done` once, with the status of the reply, when the exchange is over one way or the other. */
export function onceAnswered(response: ServerResponse, done: (status: string) => void): void {
  let isAnswered = false;
  response.once("finish", () => {
    isAnswered = true;
    done(String(response.statusCode));
  });
  response.once("close", () => {
    if (!isAnswered) done(callerGoneStatus);
  });
}
