import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { errnoCode } from "../foundation/passing-error.ts";
import { syncDirectory } from "./sync-directory.ts";

/**
 * Makes a directory and the parents that are missing, each 0700 and on disk when this resolves. Node's own recursive
 * `mkdir` never ends where the kernel keeps answering ENOENT, as below `/proc`.
 * @returns whether it had to be made
 */
export async function makeDirectory(path: string): Promise<boolean> {
  try {
    return await makeOneDirectory(path);
  } catch (error) {
    if (errnoCode(error) !== "ENOENT" || dirname(path) === path) throw error;
  }
  await makeDirectory(dirname(path));
  return await makeOneDirectory(path);
}

/** As `makeDirectory`, with a parent that must be there. */
export async function makeOneDirectory(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (errnoCode(error) === "EEXIST") return false;
    throw error;
  }
  await syncDirectory(dirname(path));
  return true;
}
