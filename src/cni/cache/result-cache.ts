import { mkdirSync } from "node:fs";
import { readdir, rmdir, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ResultCacheError } from "../errors/cache-error.ts";
import { CniError } from "../errors/cni-error.ts";
import { compareBytewise } from "../files/list-files.ts";
import { syncDirectory } from "../files/write-file-durably.ts";
import { cacheFileName } from "./cache-file-name.ts";
import type { CacheKey, CacheRecord } from "./cache-record.ts";
import { legacyRecord } from "./parse-cache-record.ts";
import { printCacheRecord } from "./print-cache-record.ts";
import { type CacheFile, readCacheFile } from "./read-cache-file.ts";

/** The one classification of what is found where a record should be. */
export type CachedRecord =
  /** Also a file that belongs to another attachment, which `foreign` then names. */
  | { readonly kind: "missing"; readonly foreign?: string }
  /** Empty, torn, no record, too large, not to be read: there is something, and it cannot be used. */
  | { readonly kind: "corrupt"; readonly reason: string; readonly file: string }
  | { readonly kind: "usable"; readonly record: CacheRecord };

export interface CacheListing {
  readonly records: readonly CacheRecord[];
  readonly corrupt: readonly { readonly file: string; readonly reason: string }[];
}

/**
 * libcni's result cache (SPEC.md §3 "CNI_COMMAND… cached result"): one file an attachment, in a format that libcni
 * reads, and read as libcni wrote it since v0.7.
 */
export interface ResultCache {
  /**
   * Replaces the attachment's record.
   * @throws {ResultCacheError} if it could not be made durable
   */
  write(record: CacheRecord): Promise<void>;
  /**
   * @throws {ResultCacheError} for a passing error (EMFILE, EIO): nothing is known of the record then
   * @throws {InvalidEnvironmentError} for names that make no file name
   */
  read(networkName: string, containerId: string, ifName: string): Promise<CachedRecord>;
  /**
   * Removes the attachment's file, corrupt or not, or an empty directory in its place, but never another attachment's
   * file; a missing one is fine.
   * @throws {ResultCacheError}
   */
  remove(networkName: string, containerId: string, ifName: string): Promise<void>;
  /**
   * Removes the attachment's file without a look at it: for who has just read it.
   * @throws {ResultCacheError}
   */
  discard(networkName: string, containerId: string, ifName: string): Promise<void>;
  /**
   * All records, or those of one container, sorted by file name: a record whose result alone cannot be used is among
   * them, without it, since its attachment is still there. Files that cannot be used at all are in `corrupt`;
   * hidden files (temporary ones) are skipped. A directory that is not there is empty.
   * @throws {ResultCacheError} if the directory cannot be read, or for a passing error
   */
  list(containerId?: string): Promise<CacheListing>;
}

/**
 * The cache in `<directory>/results`, as libcni lays it out below its cache directory (there `/var/lib/cni`).
 * `writeFile` must replace a file as a whole and have it on disk when it resolves (`writeFileDurably` does).
 */
export function createResultCache(
  directory: string,
  writeFile: (file: string, text: string) => Promise<void>,
): ResultCache {
  const results = join(directory, "results");
  const fileOf = (key: CacheKey): string => join(results, cacheFileName(key));
  return {
    write: async (record) => {
      const file = fileOf(record);
      await attempt(`write ${file}`, async () => {
        await makeDirectory(results);
        await writeFile(file, printCacheRecord(record));
      });
    },
    read: async (networkName, containerId, ifName) => {
      const key = { networkName, containerId, ifName };
      return classify(key, fileOf(key), await readCacheFile(fileOf(key)));
    },
    remove: async (networkName, containerId, ifName) => {
      const key = { networkName, containerId, ifName };
      const file = fileOf(key);
      const found = classify(key, file, await readCacheFile(file));
      if (found.kind !== "missing") await attempt(`remove ${file}`, () => removeIfThere(file));
    },
    discard: async (networkName, containerId, ifName) => {
      const file = fileOf({ networkName, containerId, ifName });
      await attempt(`remove ${file}`, () => removeIfThere(file));
    },
    list: async (containerId) => await listRecords(results, containerId),
  };
}

function classify(key: CacheKey, file: string, found: CacheFile): CachedRecord {
  if (found.kind === "legacy") return { kind: "usable", record: legacyRecord(key, found.result) };
  if (found.kind !== "record") return found;
  const { record, resultProblem } = found;
  const isOurs =
    record.networkName === key.networkName &&
    record.containerId === key.containerId &&
    record.ifName === key.ifName;
  if (isOurs && resultProblem !== undefined) return { kind: "corrupt", reason: resultProblem, file };
  if (isOurs) return { kind: "usable", record };
  return { kind: "missing", foreign: `${record.networkName} ${record.containerId} ${record.ifName}` };
}

async function listRecords(results: string, containerId: string | undefined): Promise<CacheListing> {
  const names = (await attempt(`read ${results}`, () => listNames(results))).filter((name) =>
    mayBelongTo(name, containerId),
  );
  const records: CacheRecord[] = [];
  const corrupt: { file: string; reason: string }[] = [];
  for (const name of names.sort(compareBytewise)) {
    const found = await readCacheFile(join(results, name));
    if (found.kind === "corrupt") corrupt.push({ file: found.file, reason: found.reason });
    const record = found.kind === "legacy" ? nameLegacy(name, containerId, found) : recordOf(found);
    if (record !== undefined && (containerId ?? record.containerId) === record.containerId)
      records.push(record);
  }
  return { records, corrupt };
}

async function listNames(results: string): Promise<string[]> {
  try {
    return await readdir(results);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** The ID has to be in the middle of a name of its container; libcni filters by this too. */
function mayBelongTo(name: string, containerId: string | undefined): boolean {
  if (name.startsWith(".")) return false;
  if (containerId === undefined) return true;
  const at = name.indexOf(`-${containerId}-`);
  return at > 0 && at + containerId.length + 2 < name.length;
}

function recordOf(file: CacheFile): CacheRecord | undefined {
  if (file.kind !== "record") return undefined;
  const { networkName, containerId, ifName } = file.record;
  return networkName === "" || containerId === "" || ifName === "" ? undefined : file.record;
}

/** A bare result can be named only where the container is known and comes once in the file name. */
function nameLegacy(
  name: string,
  containerId: string | undefined,
  file: Extract<CacheFile, { readonly kind: "legacy" }>,
): CacheRecord | undefined {
  if (containerId === undefined) return undefined;
  const [networkName, ifName, ...more] = name.split(`-${containerId}-`);
  if (networkName === undefined || ifName === undefined || more.length > 0) return undefined;
  return legacyRecord({ networkName, containerId, ifName }, file.result);
}

async function makeDirectory(results: string): Promise<void> {
  const made = mkdirSync(results, { recursive: true, mode: 0o700 });
  // A new directory is durable only once its parent is.
  if (made !== undefined) await syncDirectory(dirname(made));
}

/** An empty directory too, like Go's `os.Remove`: else it would be a corrupt record for ever. */
async function removeIfThere(file: string): Promise<void> {
  try {
    await unlink(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EISDIR") await rmdir(file);
    else if (code !== "ENOENT") throw error;
  }
}

async function attempt<T>(what: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof CniError) throw error;
    const { message } = error as Error;
    throw new ResultCacheError(`cannot ${what}: ${message}`, { cause: error });
  }
}
