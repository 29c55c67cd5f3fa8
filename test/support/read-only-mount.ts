import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";

const run = promisify(execFile);

/** Makes a directory read-only even for root, until the test ends or `undo` is called. */
export async function useReadOnly(directory: string): Promise<{ undo(): Promise<void> }> {
  await run("mount", ["--bind", directory, directory]);
  const undo = async () => {
    await run("umount", [directory]).catch(() => undefined);
  };
  onTestFinished(undo);
  await run("mount", ["-o", "remount,ro,bind", directory]);
  return { undo };
}
