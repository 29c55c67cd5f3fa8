import { chmod, mkdtemp, rename, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { OwnedSocket } from "./owned-socket.ts";
import { assertReplaceable, prepareSocketDirectory } from "./socket-directory.ts";
import { SocketError } from "./socket-errors.ts";

const socketName = "multus.sock";

/**
 * Serves `app` on `<directory>/multus.sock` (0600). The socket is bound in a private directory beside its place and
 * renamed there, so that there is no moment at which the place is empty, nobody but root can connect before the mode
 * is set, and a socket of a dead or outgoing daemon is replaced without being unlinked.
 * @throws {SocketError} `app` is closed then
 */
export async function listenOnSocket(app: FastifyInstance, directory: string): Promise<OwnedSocket> {
  const path = join(directory, socketName);
  try {
    await prepareSocketDirectory(directory, path);
    await assertReplaceable(path);
    return await bindAndRename(app, directory, path);
  } catch (cause) {
    await app.close();
    if (cause instanceof SocketError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SocketError(`socket ${path} cannot be made: ${reason}`, { cause });
  }
}

async function bindAndRename(app: FastifyInstance, directory: string, path: string): Promise<OwnedSocket> {
  // Not longer than the socket's own name: a directory that has room for that has room for this.
  const cradle = await mkdtemp(`${directory}/.`);
  const bound = join(cradle, "s");
  try {
    await app.listen({ path: bound, backlog: 1024 });
    await chmod(bound, 0o600);
    const socket = OwnedSocket.of(path, bound);
    await rename(bound, path);
    return socket;
  } catch (error) {
    await rm(bound, { force: true });
    throw error;
  } finally {
    await rmdir(cradle);
  }
}
