import { mkdtemp, rm } from "node:fs/promises";
import { createConnection, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { closeServer } from "../../../src/server/close-server.ts";
import { createServer } from "../../../src/server/create-server.ts";
import { listenOnSocket } from "../../../src/server/listen-socket.ts";
import { cniBody, FakeParts } from "../../unit/server/fakes.ts";

/** A temporary directory that goes when the test is over. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "mt-srv-"));
  onTestFinished(async () => await rm(directory, { recursive: true, force: true }));
  return directory;
}

/** A real server on a real socket with use cases in memory; closed when the test is over. */
export async function serveOnSocket(directory?: string, parts = new FakeParts()) {
  const server = createServer(parts);
  const socket = await listenOnSocket(server.app, directory ?? (await temporaryDirectory()));
  const close = async (graceMs = 0) => await closeServer(server, socket, { graceMs });
  onTestFinished(async () => void (await close()));
  return { parts, server, socket, close, path: socket.path };
}

/** A client that writes bytes and remembers what comes back. */
export class RawClient {
  readonly socket: Socket;
  received = "";
  isClosed = false;
  /** The error that ended the connection, if one did. */
  error: NodeJS.ErrnoException | undefined;

  constructor(path: string) {
    this.socket = createConnection(path);
    this.socket.on("data", (chunk) => {
      this.received += chunk.toString();
    });
    this.socket.on("error", (error) => {
      this.error = error;
    });
    this.socket.on("close", () => {
      this.isClosed = true;
    });
    onTestFinished(() => void this.socket.destroy());
  }

  write(text: string): this {
    this.socket.write(text);
    return this;
  }

  /** Status lines that came, in order. */
  get statuses(): readonly string[] {
    return [...this.received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status ?? "");
  }
}

/** Bytes of a `POST /cni`. */
export function cniRequest(env: Readonly<Record<string, string>>, headers = ""): string {
  const body = JSON.stringify(cniBody(env));
  return `POST /cni HTTP/1.1\r\nhost: dummy\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
