import { chmod, lstat, mkdir, rename, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../attachments/failure.ts";
import { errnoCode } from "../foundation/passing-error.ts";
import { removeLeftoverTemporaries } from "./leftover-temporaries.ts";
import { makeDirectory } from "./make-directory.ts";
import { storageFailure } from "./storage-failure.ts";
import { syncDirectory } from "./sync-directory.ts";

export interface StateDirectoryOptions {
  readonly stateDir: string;
  readonly requirePersistentState: boolean;
}

/** Paths below `stateDir`; all are there, 0700. */
export interface StateDirectory {
  readonly path: string;
  readonly sandboxes: string;
  readonly deletions: string;
  readonly spool: string;
  readonly strict: string;
  readonly quarantine: string;
  /** The file system that forgets everything with the container or the boot; absent: state persists. */
  readonly volatileFileSystem?: string;
  /** What an operator should know, in words for the log. */
  readonly warnings: readonly string[];
}

/**
 * Makes what is missing, and clears away files in the making that a dead process left. Deletes no directory: what
 * stands in the place of one of ours is renamed.
 * @throws {Failure} `storage-failed`: cannot be made or used, or does not persist although that is required
 */
export async function openStateDirectory(options: StateDirectoryOptions): Promise<StateDirectory> {
  const path = options.stateDir;
  try {
    const warnings = await makeStateDirectory(path);
    const volatileFileSystem = await findVolatileFileSystem(path);
    if (volatileFileSystem !== undefined) {
      const warning = `${path} is on ${volatileFileSystem}: what is owed is forgotten with it; mount it from the host`;
      if (options.requirePersistentState) throw new Failure("storage-failed", warning);
      warnings.push(warning);
    }
    const made = await makeParts(path, warnings);
    return { path, ...made, ...(volatileFileSystem === undefined ? {} : { volatileFileSystem }), warnings };
  } catch (error) {
    throw storageFailure("use", path, error);
  }
}

type Part = "sandboxes" | "deletions" | "spool" | "strict" | "quarantine";

const magicOfVolatile: Readonly<Record<number, string>> = {
  [0x794c7630]: "an overlay",
  [0x01021994]: "a tmpfs",
  [0x858458f6]: "a ramfs",
};

/** Shims write here too, with process IDs that may be of another namespace; none takes a minute for a file. */
const sharedMinAgeMs = 60_000;

async function makeStateDirectory(path: string): Promise<string[]> {
  if (await makeDirectory(path)) return [];
  const { mode, uid } = await lstat(path);
  const warnings: string[] = [];
  if ((mode & 0o077) !== 0) {
    warnings.push(`${path} is open to other users (mode ${(mode & 0o777).toString(8)}); 0700 is enough`);
  }
  if (uid !== process.getuid?.()) warnings.push(`${path} belongs to user ${uid}, not to the daemon's`);
  return warnings;
}

async function findVolatileFileSystem(path: string): Promise<string | undefined> {
  // The kernel's type is 32 bits; on some machines it comes with its sign.
  return magicOfVolatile[(await statfs(path)).type >>> 0];
}

async function makeParts(path: string, warnings: string[]): Promise<Record<Part, string>> {
  const part = async (name: Part, minAgeMs: number) => {
    const directory = join(path, name);
    await makePart(directory, warnings);
    await removeLeftoverTemporaries(directory, minAgeMs);
    return directory;
  };
  const parts = {
    sandboxes: await part("sandboxes", 0),
    deletions: await part("deletions", 0),
    spool: await part("spool", sharedMinAgeMs),
    strict: await part("strict", sharedMinAgeMs),
    quarantine: await part("quarantine", 0),
  };
  await removeLeftoverTemporaries(path);
  await syncDirectory(path);
  return parts;
}

async function makePart(directory: string, warnings: string[]): Promise<void> {
  try {
    await mkdir(directory, { mode: 0o700 });
    return;
  } catch (error) {
    if (errnoCode(error) !== "EEXIST") throw error;
  }
  // A link to a directory is as good as one.
  const found = await stat(directory).catch(() => undefined);
  if (found?.isDirectory()) {
    if ((found.mode & 0o777) !== 0o700) await chmod(directory, 0o700);
    return;
  }
  const aside = `${directory}.aside-${Date.now()}`;
  await rename(directory, aside);
  warnings.push(`${directory} was no directory; it is ${aside} now`);
  await mkdir(directory, { mode: 0o700 });
}
