import { join } from "node:path";
import type { Log } from "../attachments/instruments.ts";
import { acquireLock, type LockHolder, type LockOutcome } from "../host/lock-file.ts";
import { readProcessStart } from "../host/process-start.ts";
import { StartError } from "./start-error.ts";

type HeldLock = Extract<LockOutcome, { kind: "held" }>;

export interface LockRequest {
  readonly stateDir: string;
  /** The native arm's program, which takes the lock for our descriptor. */
  readonly binary: string;
  readonly takeover: boolean;
  /** How long a take-over waits for its predecessor to drain. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** A killed holder's descriptors are closed by the kernel at once; this is for the killing itself. */
const waitAfterKillMs = 2000;

/**
 * Takes the state directory for this daemon alone. A take-over waits for the predecessor, and ends it if it neither
 * drains nor is gone by then: so a frozen daemon blocks nobody.
 * @throws {StartError} that names the holder
 */
export async function takeStateLock(request: LockRequest): Promise<HeldLock> {
  const { stateDir, binary, takeover, waitMs, signal, log } = request;
  const file = join(stateDir, "lock");
  const first = await acquireLock(file, { binary, waitMs: takeover ? waitMs : 0, signal });
  if (first.kind === "held") return first;
  if (!takeover) throw heldBy(stateDir, first.holder);
  await endHolder(first.holder, stateDir, log);
  const second = await acquireLock(file, { binary, waitMs: waitAfterKillMs, signal });
  if (second.kind === "held") return second;
  throw heldBy(stateDir, second.holder);
}

function heldBy(stateDir: string, holder: LockHolder | undefined): StartError {
  const who = holder === undefined ? "another process" : `process ${holder.pid}`;
  return new StartError(
    `state directory ${stateDir} is in use by ${who}; stop that daemon first, or start this one with --takeover`,
  );
}

/** Ends the recorded holder, if that process ID is still the process that took the lock. */
async function endHolder(holder: LockHolder | undefined, stateDir: string, log: Log): Promise<void> {
  if (holder === undefined || (await readProcessStart(holder.pid)) !== holder.startTime) {
    throw heldBy(stateDir, holder);
  }
  log.warn({ holder }, "predecessor did not let go of the state directory in time: it is ended");
  process.kill(holder.pid, "SIGKILL");
}
