import { writeSync } from "node:fs";
import { errnoCode } from "../foundation/passing-error.ts";

/** Where log lines go. `false`: this line is lost. Never throws: a log must not stop what it tells of. */
export interface LineSink {
  write(line: string): boolean;
}

const maxWaits = 10;
const waitMs = 5;
const sleeper = new Int32Array(new SharedArrayBuffer(4));

/**
 * Writes all of `line` before it returns, so that a crash loses nothing that was said before it. A reader that does
 * not read (EAGAIN on a pipe) is waited for 50 ms at most: the daemon's work goes on without its log.
 */
export function writeLine(fd: number, line: string): boolean {
  const bytes = Buffer.from(line);
  let waits = 0;
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(fd, bytes, written);
    } catch (error) {
      const code = errnoCode(error);
      if (code === "EINTR") continue;
      if (code !== "EAGAIN" || waits >= maxWaits) return false;
      waits += 1;
      Atomics.wait(sleeper, 0, 0, waitMs);
    }
  }
  return true;
}

/** The standard error stream, which a container's runtime reads. */
export const stderrSink: LineSink = {
  write(line) {
    return writeLine(2, line);
  },
};
