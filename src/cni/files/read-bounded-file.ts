import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

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
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const size = await usableSize(handle, options);
    return (await readFully(handle, size)).toString("utf8");
  } finally {
    await handle.close();
  }
}

async function usableSize(handle: FileHandle, options: ReadOptions): Promise<number> {
  const status = await handle.stat();
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

async function readFully(handle: FileHandle, size: number): Promise<Buffer> {
  const buffer = Buffer.alloc(size);
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await handle.read(buffer, filled, size - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}
