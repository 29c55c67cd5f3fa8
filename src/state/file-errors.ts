import { errnoCode } from "../foundation/passing-error.ts";

/** Nothing is there: also where a part of the path is no directory or no such name can exist. */
export function isAbsent(error: unknown): boolean {
  const code = errnoCode(error);
  return code === "ENOENT" || code === "ENOTDIR" || code === "ENAMETOOLONG";
}

/** The file system has no room for one more byte or file. */
export function isDiskFull(error: unknown): boolean {
  const code = errnoCode(error);
  return code === "ENOSPC" || code === "EDQUOT";
}
