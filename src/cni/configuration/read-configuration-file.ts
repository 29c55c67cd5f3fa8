import { InvalidNetworkConfigError } from "../errors/configuration-errors.ts";
import { readBoundedFile } from "../files/read-bounded-file.ts";

/** More than any real configuration; a file that is larger is refused unread. */
const maxConfigurationBytes = 16 * 1024 * 1024;

/**
 * The text of a configuration file.
 * @throws {InvalidNetworkConfigError} that names the file and, in Go's words, what is wrong with it
 */
export async function readConfigurationFile(file: string): Promise<string> {
  try {
    return await readBoundedFile(file, { maxBytes: maxConfigurationBytes });
  } catch (error) {
    throw new InvalidNetworkConfigError(`error reading ${file}: open ${file}: ${describe(error)}`, {
      cause: error,
    });
  }
}

const goWords: Readonly<Record<string, string>> = {
  ENOENT: "no such file or directory",
  EACCES: "permission denied",
  EISDIR: "is a directory",
  ENOTDIR: "not a directory",
  ELOOP: "too many levels of symbolic links",
  EMFILE: "too many open files",
  EIO: "input/output error",
};

function describe(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return goWords[code ?? ""] ?? message;
}
