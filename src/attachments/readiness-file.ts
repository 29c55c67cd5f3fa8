import { stat } from "node:fs/promises";
import { delay } from "../foundation/abort.ts";
import type { Deadline } from "../foundation/deadline.ts";
import { Failure } from "./failure.ts";

const pollMs = 200;
/** Upstream's limit (multus reference §3). */
const longestWaitMs = 45_000;

/**
 * Waits for the file by which the primary network's own daemon says that it is there (`readinessindicatorfile`).
 * @throws {Failure} `not-ready` if it does not come in time
 */
export async function waitForReadinessFile(
  file: string,
  deadline: Deadline,
  signal: AbortSignal,
): Promise<void> {
  const waitMs = Math.min(longestWaitMs, deadline.remainingMs() / 2);
  const beganMs = performance.now();
  while (!(await isThere(file))) {
    if (performance.now() - beganMs >= waitMs) {
      throw new Failure(
        "not-ready",
        `readinessindicatorfile ${file} is not there after ${Math.round(waitMs / 1000)} s: the primary network is not ready; the runtime tries again`,
        { retryAfterSeconds: 5 },
      );
    }
    await delay(pollMs, signal);
  }
}

async function isThere(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch {
    // Whatever keeps it from being seen, it does not say that the network is ready.
    return false;
  }
}
