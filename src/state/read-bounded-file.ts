import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync } from "node:fs";
import { errnoCode, isPassingError } from "../foundation/passing-error.ts";
import { retry } from "../foundation/retry.ts";
import { readAll } from "./file-calls.ts";
import { isAbsent } from "./file-errors.ts";
import { storageFailure } from "./storage-failure.ts";

/** What stands where a file of ours should be. */
export type FileContent =
  | { readonly kind: "bytes"; readonly bytes: Buffer; readonly identity: FileIdentity }
  | { readonly kind: "missing" }
  | { readonly kind: "unreadable"; readonly reason: string };

/** Tells a file from the one that stands under its name later, and from itself with other content. */
export interface FileIdentity {
  readonly inode: bigint;
  readonly changedNs: bigint;
  readonly size: bigint;
}

export function isSameFile(left: FileIdentity, right: FileIdentity): boolean {
  return left.inode === right.inode && left.changedNs === right.changedNs && left.size === right.size;
}

export const maxFileBytes = 16 * 1024 * 1024;

/**
 * Reads a file that anything may have been done to. Never blocks on what is no regular file, follows no link, and
 * reads no more than `maxFileBytes`. A file whose owner may not read it is unreadable for root too, so that the
 * outcome does not depend on who runs us.
 * @throws {Failure} `storage-failed`: an error that says nothing of the file (EMFILE, EIO) and did not pass
 */
export async function readBoundedFile(file: string): Promise<FileContent> {
  const content = await readIfChanged(file, undefined);
  return content.kind === "unchanged" ? { kind: "missing" } : content;
}

/** The same, without reading a file that is still the `known` one: its content is at hand. */
export async function readIfChanged(
  file: string,
  known: FileIdentity | undefined,
): Promise<FileContent | { readonly kind: "unchanged" }> {
  try {
    return await retry(() => read(file, known), { waitsMs: [5, 25, 100, 300] });
  } catch (error) {
    if (isAbsent(error)) return { kind: "missing" };
    if (isPassingError(error)) throw storageFailure("read", file, error);
    return { kind: "unreadable", reason: reasons[errnoCode(error) ?? ""] ?? describeUnknown(error) };
  }
}

const reasons: Readonly<Record<string, string>> = {
  ELOOP: "a symbolic link",
  EACCES: "no permission",
  EPERM: "no permission",
};

// O_NONBLOCK and O_NOCTTY: something else may have been put there since it was looked at.
const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

async function read(
  file: string,
  known: FileIdentity | undefined,
): Promise<FileContent | { readonly kind: "unchanged" }> {
  // Before the open, because opening a device can have effects.
  const found = lstatSync(file, { bigint: true });
  const unfit = describeUnfit(found);
  if (unfit !== undefined) return { kind: "unreadable", reason: unfit };
  if (known !== undefined && isSameFile(identityOf(found), known)) return { kind: "unchanged" };
  const descriptor = openSync(file, readFlags);
  try {
    const opened = fstatSync(descriptor, { bigint: true });
    const changed = describeUnfit(opened);
    if (changed !== undefined) return { kind: "unreadable", reason: changed };
    return {
      kind: "bytes",
      bytes: await readAll(descriptor, Number(opened.size)),
      identity: identityOf(opened),
    };
  } finally {
    closeSync(descriptor);
  }
}

function describeUnfit(found: BigIntStats): string | undefined {
  if (found.isDirectory()) return "a directory";
  if (found.isSymbolicLink()) return "a symbolic link";
  if (!found.isFile()) return "not a regular file";
  if ((found.mode & 0o400n) === 0n) return "no permission";
  if (found.size === 0n) return "empty";
  return found.size > BigInt(maxFileBytes) ? "too large" : undefined;
}

export function identityOf(found: BigIntStats): FileIdentity {
  return { inode: found.ino, changedNs: found.ctimeNs, size: found.size };
}

function describeUnknown(error: unknown): string {
  return `cannot be read (${errnoCode(error) ?? "unknown error"})`;
}
