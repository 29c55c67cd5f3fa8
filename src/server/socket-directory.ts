import { lstat, mkdir, stat } from "node:fs/promises";
import { SocketError } from "./socket-errors.ts";

/** `sun_path` holds 108 bytes, the last of which is NUL. */
const maxPathBytes = 107;

/**
 * Makes the directory of the socket (0700) where there is none; one that is there stays as it is.
 * @throws {SocketError} if `directory` cannot hold the socket
 */
export async function prepareSocketDirectory(directory: string, socketFile: string): Promise<void> {
  if (Buffer.byteLength(socketFile) > maxPathBytes) {
    throw new SocketError(
      `socket path ${socketFile} is longer than ${maxPathBytes} bytes; choose a shorter socketDir`,
    );
  }
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    if ((await stat(directory)).isDirectory()) return;
  } catch (cause) {
    throw new SocketError(`socket directory ${directory} cannot be made: ${describe(cause)}`, { cause });
  }
  throw new SocketError(`socketDir ${directory} is no directory`);
}

/**
 * A socket in the place is one of a daemon, dead or about to be taken over; anything else is nobody's to replace.
 * @throws {SocketError} if something that is no socket is there
 */
export async function assertReplaceable(socketFile: string): Promise<void> {
  const found = await lstat(socketFile).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return undefined;
    throw new SocketError(`${socketFile} cannot be looked at: ${describe(cause)}`, { cause });
  });
  if (found === undefined || found.isSocket()) return;
  throw new SocketError(`${socketFile} is there and is no socket; move it away or choose another socketDir`);
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
