import fs from "node:fs";
import { promisify } from "node:util";

/*
 * What waits for the disk goes to the thread pool: syncing, and reading or writing much. Everything else on a local
 * file system (open, stat, rename, unlink, a small read or write into the page cache) takes some microseconds, while a
 * hop to the pool costs 50 to 100 and an ADD or DEL would make dozens: those calls are synchronous.
 */
export const readFile = promisify(fs.read);
export const writeFile = promisify(fs.write);
export const syncFile = promisify(fs.fsync);
export const syncData = promisify(fs.fdatasync);

/** More than this is read and written on the thread pool. */
const smallBytes = 64 * 1024;

/** Writes all of `data` at the start of a file. */
export async function writeAll(descriptor: number, data: Uint8Array): Promise<void> {
  const isSmall = data.length <= smallBytes;
  for (let offset = 0; offset < data.length; ) {
    offset += isSmall
      ? fs.writeSync(descriptor, data, offset)
      : (await writeFile(descriptor, data, offset)).bytesWritten;
  }
}

/** At most `size` bytes from a file's start; fewer if it shrank meanwhile. */
export async function readAll(descriptor: number, size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(size);
  let length = 0;
  while (length < size) {
    const wanted = size - length;
    const read =
      size <= smallBytes
        ? fs.readSync(descriptor, bytes, length, wanted, length)
        : (await readFile(descriptor, bytes, length, wanted, length)).bytesRead;
    if (read === 0) break;
    length += read;
  }
  return bytes.subarray(0, length);
}
