import { statSync } from "node:fs";
import { join } from "node:path";
import type { StampPlugin } from "../deletions/network-surroundings.ts";

/** Device, inode, size and time of change of the first file that a search finds. Never throws. */
export const stampPlugin: StampPlugin = ({ type, searchPath, root = "" }) => {
  if (type.includes("/")) return "";
  for (const directory of searchPath) {
    try {
      const { dev, ino, size, mtimeMs, ctimeMs } = statSync(join(root, directory, type));
      return [dev, ino, size, mtimeMs, ctimeMs].join(":");
    } catch {
      // Absent, or not to be looked at just now: the same as absent until the next look.
    }
  }
  return "";
};
