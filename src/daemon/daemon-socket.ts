import type { Log } from "../attachments/instruments.ts";
import { closeServer } from "../server/close-server.ts";
import { createServer, type Server } from "../server/create-server.ts";
import { listenOnSocket } from "../server/listen-socket.ts";
import type { OwnedSocket } from "../server/owned-socket.ts";
import type { ServerParts } from "../server/server-parts.ts";
import { SocketError } from "../server/socket-errors.ts";
import { StartError } from "./start-error.ts";

interface Listening {
  readonly server: Server;
  readonly socket: OwnedSocket;
}

/**
 * The daemon's socket for as long as it lives: a file that somebody removes is made again, a file that another daemon
 * has put in its place means that this one has been succeeded.
 */
export class DaemonSocket {
  readonly #parts: ServerParts;
  readonly #directory: string;
  readonly #log: Log;
  readonly #onSucceeded: () => void;
  readonly #listening: Listening[] = [];
  #closing = false;

  private constructor(parts: ServerParts, directory: string, onSucceeded: () => void) {
    this.#parts = parts;
    this.#directory = directory;
    this.#log = parts.log;
    this.#onSucceeded = onSucceeded;
  }

  /** @throws {StartError} */
  static async open(parts: ServerParts, directory: string, onSucceeded: () => void): Promise<DaemonSocket> {
    const opened = new DaemonSocket(parts, directory, onSucceeded);
    try {
      await opened.#listen();
      return opened;
    } catch (cause) {
      if (!(cause instanceof SocketError)) throw cause;
      throw new StartError(cause.message, { cause });
    }
  }

  get isDraining(): boolean {
    return this.#closing;
  }

  /** Drains; resolves with how many requests were cut off. */
  async close(graceMs: number): Promise<number> {
    this.#closing = true;
    const outcomes = await Promise.all(
      this.#listening.map(({ server, socket }) => closeServer(server, socket, { graceMs })),
    );
    return outcomes.reduce((sum, { cut }) => sum + cut, 0);
  }

  async #listen(): Promise<void> {
    const server = createServer(this.#parts);
    const socket = await listenOnSocket(server.app, this.#directory);
    this.#listening.push({ server, socket });
    socket.watch((loss) => (loss === "replaced" ? this.#onSucceeded() : this.#listenAgain()));
    this.#log.info({ socket: socket.path }, "listening");
  }

  #listenAgain(): void {
    if (this.#closing) return;
    this.#log.warn({}, "somebody removed the socket: it is made again");
    this.#listen().catch((err: unknown) => {
      this.#log.error({ err }, "socket could not be made again; tried again");
      setTimeout(() => this.#listenAgain(), 1000).unref();
    });
  }
}
