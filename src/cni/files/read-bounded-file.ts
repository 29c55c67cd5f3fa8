import { closeSync, constants, fstatSync, openSync, read, readSync } from "node:fs";
import { promisify } from "node:util";

/** A file that is there but is no text file of a sane size; `code` is like an errno. */
class UnusableFileError extends Error {
  override readonly name = "UnusableFileError";
  readonly code: "EFBIG" | "EISDIR" | "ENOTREG" | "EACCES";

  constructor(code: UnusableFileError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

export interface ReadOptions {
  readonly maxBytes: number;
  /** A file without a read bit for its owner counts as unreadable, which root alone would not notice. */
  readonly needsOwnerRead?: boolean;
}

/**
 * Reads a regular file as UTF-8, invalid bytes replaced, a byte order mark kept.
 * Never waits, whatever is at that path (a FIFO, a device), and never reads more than `maxBytes`.
 * @throws {UnusableFileError} for what is no regular file or is too large
 * @throws {NodeJS.ErrnoException}
 */
export async function readBoundedFile(file: string, options: ReadOptions): Promise<string> {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const size = usableSize(descriptor, options);
    return (await readFully(descriptor, size)).toString("utf8");
  } finally {
    closeSync(descriptor);
  }
}

function usableSize(descriptor: number, options: ReadOptions): number {
  const status = fstatSync(descriptor);
  if (status.isDirectory()) throw new UnusableFileError("EISDIR", "is a directory");
  if (!status.isFile()) throw new UnusableFileError("ENOTREG", "not a regular file");
  if (options.needsOwnerRead === true && (status.mode & 0o400) === 0) {
    throw new UnusableFileError("EACCES", "permission denied");
  }
  if (status.size > options.maxBytes) {
    throw new UnusableFileError("EFBIG", `larger than ${options.maxBytes} bytes`);
  }
  return status.size;
}

const readInPool = promisify(read);
/** Less than this is read at once: some microseconds, where a hop to the thread pool costs ten times as much. */
const smallBytes = 64 * 1024;

async function readFully(descriptor: number, size: number): Promise<Buffer> {
  const buffer = Buffer.alloc(size);
  let filled = 0;
  while (filled < size) {
    const left = size - filled;
    const bytesRead =
      size <= smallBytes
        ? readSync(descriptor, buffer, filled, left, filled)
        : (await readInPool(descriptor, buffer, filled, left, filled)).bytesRead;
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}
