import { ResultCacheError } from "../errors/cache-error.ts";
import { readBoundedFile } from "../files/read-bounded-file.ts";
import { type ParsedCacheFile, parseCacheFile } from "./parse-cache-record.ts";

/** Far above any real record. */
const maxCacheFileBytes = 16 * 1024 * 1024;

export type CacheFile =
  | Exclude<ParsedCacheFile, { readonly kind: "corrupt" }>
  | { readonly kind: "missing" }
  | { readonly kind: "corrupt"; readonly reason: string; readonly file: string };

/** Nothing can be at such a path. */
const missingCodes = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG"]);

/** Something is there and will not become readable by trying again. */
const corruptCodes = new Set(["EACCES", "EPERM", "EISDIR", "ELOOP", "ENXIO", "ENODEV", "ENOTREG", "EFBIG"]);

/**
 * Reads one cache file and says what it is.
 * @throws {ResultCacheError} for a passing error, such as EMFILE or EIO: nothing is known of the file then
 */
export async function readCacheFile(file: string): Promise<CacheFile> {
  let text: string;
  try {
    text = await readBoundedFile(file, { maxBytes: maxCacheFileBytes, needsOwnerRead: true });
  } catch (error) {
    return classifyReadError(file, error as NodeJS.ErrnoException);
  }
  const parsed = parseCacheFile(text);
  return parsed.kind === "corrupt" ? { ...parsed, file } : parsed;
}

function classifyReadError(file: string, error: NodeJS.ErrnoException): CacheFile {
  const code = error.code ?? "";
  if (missingCodes.has(code)) return { kind: "missing" };
  if (corruptCodes.has(code)) return { kind: "corrupt", reason: error.message, file };
  throw new ResultCacheError(`cannot read ${file}: ${error.message}`, { cause: error });
}
