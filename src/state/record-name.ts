import { createHash } from "node:crypto";

/**
 * The name of a file that belongs to an identifier: the identifier itself, or `@` and its hash where it cannot be a
 * name or would be a long one. No identifier begins with `@`, so the two never meet.
 */
export function recordName(identifier: string, suffix = ""): string {
  const name = `${identifier}${suffix}`;
  if (identifierPattern.test(identifier) && name.length <= 200) return name;
  return `@${createHash("sha256").update(identifier).digest("hex")}${suffix}`;
}

/** Container IDs as CNI has them; no separator, no leading dot. */
const identifierPattern = /^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/;
