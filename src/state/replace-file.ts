import { closeSync, constants, openSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { writeAll } from "./file-calls.ts";
import { nextTemporaryName } from "./temporary-name.ts";

/**
 * Replaces a file in one step, mode 0600, without waiting for the disk: readers see the old or the new one, a power
 * cut may leave either or an empty one. For files that are renewed all the time or that only help.
 */
export async function replaceFile(file: string, data: Uint8Array): Promise<void> {
  const temporary = join(dirname(file), nextTemporaryName(basename(file)));
  const descriptor = openSync(temporary, flags, 0o600);
  try {
    await writeAll(descriptor, data);
    renameSync(temporary, file);
  } catch (error) {
    discard(temporary);
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

/** A file in the making that is not wanted; the failure that made it so is the one to tell. */
export function discard(temporary: string): void {
  try {
    rmSync(temporary, { force: true });
  } catch {
    // Readers pass over it, and the next start clears it away.
  }
}

const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
