import { constants } from "node:fs";
import { rename, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { closeFile, openFile, writeFile } from "./file-calls.ts";
import { nextTemporaryName } from "./temporary-name.ts";

/**
 * Replaces a file in one step, mode 0600, without waiting for the disk: readers see the old or the new one, a power
 * cut may leave either or an empty one. For files that are renewed all the time or that only help.
 */
export async function replaceFile(file: string, data: Uint8Array): Promise<void> {
  const temporary = join(dirname(file), nextTemporaryName(basename(file)));
  const descriptor = await openFile(temporary, flags, 0o600);
  try {
    for (let offset = 0; offset < data.length; ) {
      offset += (await writeFile(descriptor, data, offset)).bytesWritten;
    }
    await rename(temporary, file);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  } finally {
    closeFile(descriptor).catch(() => undefined);
  }
}

const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
