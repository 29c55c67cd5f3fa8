import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { Log } from "../attachments/instruments.ts";
import { HostLostError } from "./host-errors.ts";
import { onLine } from "./on-line.ts";

/** A running `multus-host serve`: two streams and an end. */
export interface HostProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves with the reason once process and streams have ended, or could not begin. Never rejects. */
  readonly ended: Promise<HostLostError>;
  /** SIGKILL; `ended` tells the first reason that was given. */
  kill(reason: HostLostError): void;
}

export interface HostProgram {
  readonly binary: string;
  readonly runsDirectory: string;
  readonly log: Log;
}

/** How long streams may outlast their process, and a process its SIGKILL, before they count as gone. */
const goneMs = 2_000;

/**
 * Starts the program. It ends with its stdin, however the daemon dies. No error of its streams escapes: each of them
 * becomes its end.
 * @throws {HostLostError} if it cannot be started at all; some reasons come by `ended` instead.
 */
export function startHostProcess(program: HostProgram): HostProcess {
  const child = spawnHost(program);
  const { promise: ended, resolve } = Promise.withResolvers<HostLostError>();
  let reason: HostLostError | undefined;
  const finish = () => resolve(reason ?? new HostLostError("ended"));
  const kill = (why: HostLostError) => {
    reason ??= why;
    child.kill("SIGKILL");
    setTimeout(finish, goneMs).unref();
  };
  child.once("error", (error) => {
    reason ??= new HostLostError("could not be started", error);
    finish();
  });
  child.once("exit", (code, signal) => {
    reason ??= new HostLostError(signal === null ? `ended with code ${code}` : `was ended by ${signal}`);
    setTimeout(() => child.stdout.destroy(), goneMs).unref();
  });
  // One that lives on but cannot answer any more.
  child.stdout.once("end", () => {
    const closed = setTimeout(() => kill(new HostLostError("closed its output")), goneMs).unref();
    child.once("exit", () => clearTimeout(closed));
  });
  // After the last answer has been read.
  child.once("close", finish);
  for (const stream of [child.stdin, child.stdout]) {
    stream.on("error", (error) => kill(new HostLostError("broke its pipe", error)));
  }
  child.stderr.on("error", (err) => program.log.debug({ err }, "log of multus-host cannot be read"));
  onLine(child.stderr, (line) => program.log.warn({ line }, "multus-host reports"));
  return { stdin: child.stdin, stdout: child.stdout, ended, kill };
}

function spawnHost({ binary, runsDirectory }: HostProgram): ChildProcessWithoutNullStreams {
  try {
    return spawn(binary, ["serve", "--runs", runsDirectory], {
      stdio: ["pipe", "pipe", "pipe"],
      cwd: "/",
      // Plugins get exactly what an invocation names; the host needs nothing.
      env: {},
      // Ctrl-C in a terminal is for the daemon, which lets what runs finish.
      detached: true,
    });
  } catch (error) {
    throw new HostLostError("could not be started", error);
  }
}
