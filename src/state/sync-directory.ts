import { closeSync, constants, openSync } from "node:fs";
import { errnoCode } from "../foundation/passing-error.ts";
import { syncFile } from "./file-calls.ts";

export const directoryFlags = constants.O_RDONLY | constants.O_DIRECTORY;

/** Makes names that were made or removed in the directory survive a power cut. */
export async function syncDirectory(directory: number | string): Promise<void> {
  if (typeof directory === "string") {
    const descriptor = openSync(directory, directoryFlags);
    await syncDirectory(descriptor).finally(() => closeSync(descriptor));
    return;
  }
  try {
    await syncFile(directory);
  } catch (error) {
    // Some file systems cannot sync a directory at all; they promise no more than they do without it.
    const code = errnoCode(error);
    if (code !== "EINVAL" && code !== "ENOTSUP") throw error;
  }
}
