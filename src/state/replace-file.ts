import { constants } from "node:fs";
import { basename, dirname, join } from "node:path";
import { closeFile, openFile, renameFile, unlinkFile, writeAll } from "./file-calls.ts";
import { nextTemporaryName } from "./temporary-name.ts";

/**
 * Replaces a file in one step, mode 0600, without waiting for the disk: readers see the old or the new one, a power
 * cut may leave either or an empty one. For files that are renewed all the time or that only help.
 */
export async function replaceFile(file: string, data: Uint8Array): Promise<void> {
  const temporary = join(dirname(file), nextTemporaryName(basename(file)));
  const descriptor = await openFile(temporary, flags, 0o600);
  try {
    await writeAll(descriptor, data);
    await renameFile(temporary, file);
  } catch (error) {
    await discard(temporary);
    throw error;
  } finally {
    closeFile(descriptor).catch(() => undefined);
  }
}

/** A file in the making that is not wanted. Never rejects: the failure that made it so is the one to tell. */
export async function discard(temporary: string): Promise<void> {
  // What cannot be removed is passed over by readers, and the next start clears it away.
  await unlinkFile(temporary).catch(() => undefined);
}

const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
