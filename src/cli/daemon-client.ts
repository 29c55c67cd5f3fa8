import { request } from "node:http";

/** A reply of the daemon, whatever its status. */
export interface DaemonReply {
  readonly status: number;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Exactly what came. */
  readonly text: string;
}

/** Nobody answered on the socket. `message` says why, and what to look at. */
export class NoDaemonError extends Error {
  override readonly name = "NoDaemonError";
}

/** Asks the daemon one thing: `ask("POST", "/v1/deletions/x/abandon", { reason })`. */
export type AskDaemon = (method: "GET" | "POST", path: string, body?: object) => Promise<DaemonReply>;

/** A retry runs plugins, so an answer may take as long as those may. */
const defaultTimeoutMs = 120_000;
const maxReplyBytes = 64 * 1024 * 1024;

/**
 * A client of the socket `socketFile`.
 * @throws {NoDaemonError} from each call that gets no whole answer within `timeoutMs`
 */
export function connectDaemon(socketFile: string, timeoutMs = defaultTimeoutMs): AskDaemon {
  return async (method, path, body) => {
    try {
      return await exchange(socketFile, { method, path, body, timeoutMs });
    } catch (cause) {
      throw new NoDaemonError(`no daemon answers on ${socketFile}: ${explain(cause)}`, { cause });
    }
  };
}

interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly body: object | undefined;
  readonly timeoutMs: number;
}

async function exchange(
  socketFile: string,
  { method, path, body, timeoutMs }: Exchange,
): Promise<DaemonReply> {
  const done = Promise.withResolvers<DaemonReply>();
  const signal = AbortSignal.timeout(timeoutMs);
  const headers = { "content-type": "application/json", connection: "close" };
  const sent = request({ socketPath: socketFile, method, path, headers, signal, agent: false }, (reply) => {
    const chunks: Buffer[] = [];
    let size = 0;
    reply.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxReplyBytes) reply.destroy(new Error("its answer is longer than 64 MiB"));
      else chunks.push(chunk);
    });
    reply.on("error", done.reject);
    reply.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      done.resolve({ status: reply.statusCode ?? 0, headers: reply.headers, text });
    });
  });
  sent.on("error", (error) => done.reject(signal.aborted ? new TimedOut(timeoutMs) : error));
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  return await done.promise;
}

class TimedOut extends Error {
  constructor(timeoutMs: number) {
    super(`no answer within ${timeoutMs / 1000} s`);
  }
}

const explanations: Readonly<Record<string, string>> = {
  ENOENT: "there is no such socket; is the daemon installed on this node, with this socketDir?",
  ECONNREFUSED: "nothing listens there; the daemon is not running",
  EACCES: "permission denied; run it as root",
  ECONNRESET: "the connection was cut off; the daemon may be stopping",
};

function explain(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return explanations[code ?? ""] ?? message;
}
