import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { replaceFileWithCopy } from "./replace-file.mjs";

const run = promisify(execFile);
const installed = "node_modules/node/bin/node";

/** The Node of the package `node`, as a hard link where that is possible: it weighs 120 MB. */
export async function placePinnedNode(file) {
  const major = (await readFile(".node-version", "utf8")).trim();
  const { stdout } = await run(installed, ["--version"]);
  if (!stdout.startsWith(`v${major}.`))
    throw new Error(`${installed} is ${stdout.trim()}, not Node ${major}`);
  await replaceFileWithCopy(installed, file, { mayLink: true });
}
