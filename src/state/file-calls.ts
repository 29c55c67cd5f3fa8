import fs from "node:fs";
import { promisify } from "node:util";

/*
 * What may wait for the disk goes to the thread pool: syncing, and everything that changes a directory or a file, since
 * on a journalling file system it waits while an earlier sync commits. Looking and reading a little is answered from
 * the kernel's caches in microseconds, where a hop to the pool costs 50 to 100: that is done at once.
 */
export const openFile = promisify(fs.open);
const readFile = promisify(fs.read);
const writeFile = promisify(fs.write);
export const closeFile = promisify(fs.close);
export const renameFile = promisify(fs.rename);
export const unlinkFile = promisify(fs.unlink);
export const syncFile = promisify(fs.fsync);

/** More than this is read on the thread pool. */
const smallBytes = 64 * 1024;

/** Writes all of `data` at the start of a file. */
export async function writeAll(descriptor: number, data: Uint8Array): Promise<void> {
  for (let offset = 0; offset < data.length; ) {
    offset += (await writeFile(descriptor, data, offset)).bytesWritten;
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
