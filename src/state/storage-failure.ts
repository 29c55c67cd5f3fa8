import { Failure } from "../attachments/failure.ts";
import { errnoCode } from "../foundation/passing-error.ts";

/**
 * What a system error on a file of the state directory becomes. The words are ours: Node's own hold phrases by which a
 * runtime takes a failed DEL for a success, and names of temporary files, so that a repeat would read differently.
 * @param action such as `write the record`
 */
export function storageFailure(action: string, file: string, error: unknown): Failure {
  if (error instanceof Failure) return error;
  const code = errnoCode(error) ?? "unknown error";
  const [what, remedy] = explanations[code] ?? ["the system refused it", "see the daemon's log"];
  return new Failure("storage-failed", `cannot ${action} ${file}: ${what}; ${remedy}`, {
    details: `${code} at ${file}`,
    cause: error,
  });
}

const explanations: Readonly<Record<string, readonly [what: string, remedy: string]>> = {
  ENOSPC: ["the file system is full", "free space or inodes on it"],
  EDQUOT: ["the disk quota is used up", "raise it or free space"],
  EROFS: ["the file system is read-only", "look for disk errors in the kernel log, then mount it writable"],
  EACCES: ["no permission", "let the daemon own the directory and write to it"],
  EPERM: ["not permitted", "look for an immutable attribute or a security module on the directory"],
  EIO: ["the disk reported an error", "look for disk errors in the kernel log"],
  EMFILE: ["the daemon has too many open files", "raise its limit of open files"],
  ENFILE: ["the machine has too many open files", "look for the process that holds them"],
  ENOENT: ["its directory is gone", "restart the daemon, which makes it again"],
  ENOTDIR: ["something else stands where its directory should be", "move that away and restart the daemon"],
  EISDIR: ["a directory stands in its place", "move that directory away"],
  ENAMETOOLONG: ["the name is too long for the file system", "use shorter identifiers"],
  ENOMEM: ["the kernel is out of memory", "free memory on the machine"],
};
