import { request } from "node:http";

export interface SocketReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export interface SocketRequest {
  readonly method?: string;
  readonly path: string;
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

/** One HTTP request over a Unix socket, on a connection of its own. */
export async function requestSocket(socket: string, wanted: SocketRequest): Promise<SocketReply> {
  return await new Promise((resolve, reject) => {
    const body = wanted.body;
    const outgoing = request({
      socketPath: socket,
      method: wanted.method ?? "GET",
      path: wanted.path,
      headers: {
        ...(body === undefined
          ? {}
          : { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
        ...wanted.headers,
      },
      agent: false,
      signal: AbortSignal.timeout(wanted.timeoutMs ?? 30_000),
    });
    outgoing.once("error", reject);
    outgoing.once("response", (reply) => {
      let text = "";
      reply.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      reply.once("error", reject);
      reply.once("end", () => resolve({ status: reply.statusCode ?? 0, headers: reply.headers, text }));
    });
    outgoing.end(body);
  });
}
