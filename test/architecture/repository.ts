import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const repository = fileURLToPath(new URL("../..", import.meta.url));

export function read(path: string): string {
  return readFileSync(`${repository}${path}`, "utf8");
}

/** Files that are committed or about to be, below the repository. */
export function trackedFiles(): readonly string[] {
  const list = ["ls-files", "--cached", "--others", "--exclude-standard"];
  return execFileSync("git", list, { cwd: repository, encoding: "utf8" }).trim().split("\n");
}
