import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Log } from "../attachments/instruments.ts";
import { delay } from "../foundation/abort.ts";
import { nextDelayMs } from "../foundation/backoff.ts";
import { onceAnswered } from "./once-answered.ts";
import type { RenderedMetrics, RequestCount } from "./server-parts.ts";

export interface MetricsListener {
  /** Where it listens; `undefined` while the address is not to be had. */
  address(): { readonly host: string; readonly port: number } | undefined;
  stop(): Promise<void>;
}

export interface MetricsParts {
  /** From `parseMetricsAddress`. */
  readonly address: MetricsAddress;
  readonly renderMetrics: () => Promise<RenderedMetrics>;
  readonly countRequest: (count: RequestCount) => void;
  readonly log: Log;
}

export interface MetricsAddress {
  /** Absent: all addresses of the node. */
  readonly host?: string;
  readonly port: number;
}

/** `127.0.0.1:9095`, `[::1]:9095` or `:9095`; `undefined` for anything else. */
export function parseMetricsAddress(text: string): MetricsAddress | undefined {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65_535) return undefined;
  const host = bracketed ?? plain ?? "";
  return host === "" ? { port } : { host, port };
}

/**
 * Serves `GET /metrics` over TCP. Never rejects and never ends the daemon: an address that cannot be had is tried again
 * in the background until `stop`, and the log says so once for each reason.
 */
export function listenMetrics(parts: MetricsParts): MetricsListener {
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 5_000 }, (request, response) => {
    void answer(request, response, parts);
  });
  server.maxConnections = 64;
  const stopped = new AbortController();
  const listening = keepTrying(server, parts, stopped.signal);
  return {
    address: () => {
      const bound = server.address();
      return bound === null || typeof bound === "string"
        ? undefined
        : { host: bound.address, port: bound.port };
    },
    stop: async () => {
      stopped.abort();
      await listening;
      if (!server.listening) return;
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
    },
  };
}

async function keepTrying(
  server: ReturnType<typeof createServer>,
  parts: MetricsParts,
  signal: AbortSignal,
): Promise<void> {
  const { address, log } = parts;
  const beganMs = performance.now();
  let lastReason = "";
  while (!signal.aborted) {
    const reason = await tryToListen(server, address);
    if (reason === undefined) {
      log.info({ ...address }, "metrics are served");
      server.on("error", (err) => log.warn({ err }, "metrics server failed"));
      return;
    }
    if (reason !== lastReason)
      log.warn({ ...address, reason }, "metrics address not to be had, trying again");
    lastReason = reason;
    const waitMs = nextDelayMs(performance.now() - beganMs, { initialMs: 500, maxMs: 30_000 }, Math.random);
    await delay(waitMs, signal).catch(() => undefined);
  }
}

/** The error's code, or `undefined` once it listens. */
async function tryToListen(
  server: ReturnType<typeof createServer>,
  address: MetricsAddress,
): Promise<string | undefined> {
  const outcome = Promise.withResolvers<string | undefined>();
  const fail = (error: NodeJS.ErrnoException) => outcome.resolve(error.code ?? error.message);
  const succeed = () => outcome.resolve(undefined);
  server.once("error", fail);
  server.once("listening", succeed);
  server.listen(address);
  try {
    return await outcome.promise;
  } finally {
    server.off("error", fail);
    server.off("listening", succeed);
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  parts: MetricsParts,
): Promise<void> {
  const method = (request.method ?? "").toLowerCase();
  const isMetrics = request.url?.split("?", 1)[0] === "/metrics";
  const handler = isMetrics ? "/metrics" : "NotFound";
  onceAnswered(response, (code) => parts.countRequest({ handler, code, method }));
  if (!isMetrics) response.writeHead(404).end();
  else if (method !== "get" && method !== "head") response.writeHead(405, { allow: "GET, HEAD" }).end();
  else await sendMetrics(response, parts);
}

async function sendMetrics(response: ServerResponse, parts: MetricsParts): Promise<void> {
  try {
    const { contentType, text } = await parts.renderMetrics();
    response.writeHead(200, { "content-type": contentType }).end(text);
  } catch (err) {
    parts.log.error({ err }, "metrics not rendered");
    response.writeHead(500).end();
  }
}
