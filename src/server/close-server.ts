import { delay } from "../foundation/abort.ts";
import type { Server } from "./create-server.ts";
import type { OwnedSocket } from "./owned-socket.ts";

export interface CloseOptions {
  /** How long running requests may take; a new ADD is refused from the start, a DEL is taken until the end. */
  readonly graceMs: number;
}

export interface CloseOutcome {
  /** Requests that were still running and have been cut off; their signals are aborted as their connections close. */
  readonly cut: number;
}

/** Replies that are ready are written within this, even when the grace is over. */
const flushMs = 250;

/**
 * Stops the server: refuses ADD and GC at once, waits for what runs, takes the socket's file away if it is still ours,
 * and closes the connections. Never rejects for a request's sake.
 */
export async function closeServer(
  server: Server,
  socket: OwnedSocket | undefined,
  options: CloseOptions,
): Promise<CloseOutcome> {
  const { app, intake } = server;
  intake.drain();
  const over = new AbortController();
  const endsAt = performance.now() + options.graceMs;
  await Promise.race([intake.whenIdle(), delay(options.graceMs, over.signal).catch(() => undefined)]);
  try {
    socket?.remove();
  } finally {
    // What came in between on an open connection has what is left of the grace.
    const leftMs = Math.max(flushMs, endsAt - performance.now());
    await Promise.race([app.close(), delay(leftMs, over.signal).catch(() => undefined)]);
  }
  over.abort();
  const cut = intake.running;
  app.server.closeAllConnections();
  await app.close();
  return { cut };
}
