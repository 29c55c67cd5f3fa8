import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { type FileHandle, open, stat } from "node:fs/promises";
import { readProcessStart } from "./process-start.ts";

export interface LockOptions {
  /** The `multus-host` program. */
  readonly binary: string;
  /** How long to wait for another holder to let go; 0: not at all. */
  readonly waitMs: number;
  /** Aborted: the promise rejects with its reason, and the lock is not held. */
  readonly signal?: AbortSignal;
}

/** Who holds a lock, by its own account. */
export interface LockHolder {
  readonly pid: number;
  /** Clock ticks since boot, decimal (`/proc/<pid>/stat`): tells the holder from another process of that ID. */
  readonly startTime: string;
}

export type LockOutcome =
  /** Held until `release`, or until the end of this process whatever ends it. */
  | { readonly kind: "held"; readonly release: () => Promise<void> }
  | { readonly kind: "taken"; readonly holder: LockHolder | undefined };

/** The lock could be neither taken nor found taken. */
export class LockError extends Error {
  override readonly name = "LockError";
}

const maxHolderBytes = 4096;
/** How often a lock file may be replaced while it is being locked, before something is wrong. */
const attempts = 3;
const held = 0;
const heldByAnother = 1;

/**
 * Locks `file`, which is made if it is missing and is never removed. The lock is a `flock` of this process's own
 * descriptor (Node cannot take one: `multus-host lock` takes it on the descriptor that it inherits and ends).
 * The file then names this process for others to read.
 * @throws {LockError}
 */
export async function acquireLock(file: string, options: LockOptions): Promise<LockOutcome> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    // Read and write, never truncated on open: what it says is another holder's until the lock is ours.
    const handle = await open(file, "a+", 0o644);
    let isKept = false;
    try {
      const code = await lockDescriptor(handle.fd, options);
      if (code === heldByAnother) return { kind: "taken", holder: await readHolder(handle) };
      if (code !== held) throw new LockError(`${file}: multus-host lock ended with code ${code}`);
      // Somebody removed or replaced the file meanwhile: the next one to come would lock another.
      if (!(await isStillAt(handle, file))) continue;
      await writeHolder(handle);
      isKept = true;
      return { kind: "held", release: async () => await release(handle) };
    } finally {
      if (!isKept) await handle.close();
    }
  }
  throw new LockError(`${file}: replaced again and again while it was being locked`);
}

/** Takes the name out first: whoever holds the lock next must not be taken for this process. */
async function release(handle: FileHandle): Promise<void> {
  try {
    await handle.truncate(0);
  } finally {
    await handle.close();
  }
}

/** The exit code of `multus-host lock`. */
async function lockDescriptor(fd: number, { binary, waitMs, signal }: LockOptions): Promise<number | null> {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  const child = spawnLock(binary, fd, Math.max(0, Math.round(waitMs)));
  const abort = () => child.kill("SIGKILL");
  signal?.addEventListener("abort", abort, { once: true });
  child.once("error", (cause) => reject(new LockError(`${binary} could not be started`, { cause })));
  child.once("exit", resolve);
  try {
    const code = await promise;
    signal?.throwIfAborted();
    return code;
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}

function spawnLock(binary: string, fd: number, waitMs: number): ChildProcess {
  try {
    // The only process that inherits the descriptor: whoever else had it would hold the lock as well.
    const stdio: StdioOptions = ["ignore", "ignore", "ignore", fd];
    return spawn(binary, ["lock", "--wait-ms", String(waitMs)], { stdio, env: {} });
  } catch (cause) {
    throw new LockError(`${binary} could not be started`, { cause });
  }
}

async function isStillAt(handle: FileHandle, file: string): Promise<boolean> {
  const [ours, there] = await Promise.all([handle.stat(), stat(file).catch(() => undefined)]);
  return there?.ino === ours.ino && there.dev === ours.dev;
}

/** In place, for the lock is on this very file; it matters to readers only, and a torn one only hides the name. */
async function writeHolder(handle: FileHandle): Promise<void> {
  const startTime = await readProcessStart(process.pid);
  await handle.truncate(0);
  await handle.write(`${JSON.stringify({ pid: process.pid, startTime })}\n`);
}

async function readHolder(handle: FileHandle): Promise<LockHolder | undefined> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxHolderBytes), 0, maxHolderBytes, 0);
  try {
    const value: unknown = JSON.parse(buffer.toString("utf8", 0, bytesRead));
    return isHolder(value) ? { pid: value.pid, startTime: value.startTime } : undefined;
  } catch {
    return undefined;
  }
}

function isHolder(value: unknown): value is LockHolder {
  if (typeof value !== "object" || value === null || !("pid" in value && "startTime" in value)) return false;
  return Number.isSafeInteger(value.pid) && Number(value.pid) > 1 && typeof value.startTime === "string";
}
