/** The errno name (`ENOENT`) of an error of a system call, its causes included; `undefined` for any other value. */
export function errnoCode(error: unknown): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < maxCauses; at = at.cause, depth += 1) {
    if ("code" in at && typeof at.code === "string" && errnoName.test(at.code)) return at.code;
  }
  return undefined;
}

const maxCauses = 8;
const errnoName = /^E[A-Z0-9]+$/;

/** No descriptor left, in this process or on the machine. */
export function isOutOfDescriptors(error: unknown): boolean {
  const code = errnoCode(error);
  return code === "EMFILE" || code === "ENFILE";
}

/**
 * True for failures that say nothing about the file or peer and may be over in a moment: descriptors or memory used
 * up, an interrupted or not yet possible call, a device that failed once.
 */
export function isPassingError(error: unknown): boolean {
  return passingCodes.has(errnoCode(error) ?? "");
}

const passingCodes: ReadonlySet<string> = new Set(["EMFILE", "ENFILE", "EIO", "EAGAIN", "EINTR", "ENOMEM"]);
