import { createHash } from "node:crypto";
import { resolve } from "node:path";
import type { Attachment } from "../../cni/index.ts";
import type { CniEnvironment } from "./read-environment.ts";

/**
 * The attachment that upstream's cnitool would make: its container ID is made from the absolute path of the namespace, so that
 * DEL finds what ADD made, also what the other program made.
 */
export function attachmentOf(netns: string, environment: CniEnvironment): Attachment {
  const path = resolve(netns);
  const digest = createHash("sha512").update(path).digest();
  return { ...environment, netns: path, containerId: `cnitool-${digest.toString("hex", 0, 10)}` };
}
