import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dist } from "./dist.ts";
import { requestSocket, type SocketReply, type SocketRequest } from "./socket-request.ts";
import { waitFor } from "./wait-for.ts";

export interface DaemonFiles {
  readonly configFile: string;
  readonly socket: string;
  /** stderr goes here, added to what earlier daemons wrote. */
  readonly logFile: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** Path of a network namespace that plays the node. */
  readonly networkNamespace?: string;
  /** Words before the command; the last program that they start must become the daemon. */
  readonly wrapper?: readonly string[];
}

/** A real `dist/multusd`. */
export interface RunningDaemon {
  readonly pid: number;
  /** From its start until `/readyz` said yes. */
  readonly readyAfterMs: number;
  /** Exit code, `null` if a signal ended it. */
  readonly ended: Promise<number | null>;
  /** SIGTERM, and waits for the end. */
  stop(): Promise<number | null>;
  /** SIGKILL, and waits for the end. */
  kill(): Promise<void>;
  freeze(): void;
  thaw(): void;
  reloadSignal(): void;
  request(wanted: SocketRequest): Promise<SocketReply>;
  /** The body of a GET as JSON. */
  get<T>(path: string): Promise<T>;
  log(): Promise<string>;
}

/** Starts the daemon and waits until it is ready for ADD. Rejects with its log if it ends before. */
export async function startDaemon(files: DaemonFiles): Promise<RunningDaemon> {
  const started = performance.now();
  const child = spawnDaemon(files);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject).once("exit", resolve);
  });
  const request = async (wanted: SocketRequest) => await requestSocket(files.socket, wanted);
  const log = async () => await readFile(files.logFile, "utf8").catch(() => "");
  await waitFor("the daemon to be ready", async () => {
    if (child.exitCode !== null || child.signalCode !== null) return true;
    return (await request({ path: "/readyz", timeoutMs: 2_000 })).status === 200;
  }).catch(async (error: unknown) => {
    child.kill("SIGKILL");
    throw new Error(`daemon not ready:\n${await log()}`, { cause: error });
  });
  if (child.exitCode !== null || child.signalCode !== null) {
    throw new Error(`daemon ended with ${child.exitCode ?? child.signalCode}:\n${await log()}`);
  }
  return {
    pid: child.pid ?? 0,
    readyAfterMs: performance.now() - started,
    ended,
    stop: async () => {
      child.kill("SIGTERM");
      return await ended;
    },
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
    },
    freeze: () => {
      child.kill("SIGSTOP");
    },
    thaw: () => {
      child.kill("SIGCONT");
    },
    reloadSignal: () => {
      child.kill("SIGHUP");
    },
    request,
    get: async <T>(path: string) => JSON.parse((await request({ path })).text) as T,
    log,
  };
}

function spawnDaemon(files: DaemonFiles): ChildProcess {
  const log = openSync(files.logFile, "a");
  try {
    const command = [dist.daemon, "--config", files.configFile, ...(files.args ?? [])];
    // nsenter becomes the daemon: the process ID is the daemon's.
    if (files.networkNamespace !== undefined) command.unshift("nsenter", `--net=${files.networkNamespace}`);
    command.unshift(...(files.wrapper ?? []));
    const [program = "", ...args] = command;
    return spawn(program, args, {
      env: { PATH: process.env["PATH"] ?? "", ...files.env },
      stdio: ["ignore", log, log],
    });
  } finally {
    closeSync(log);
  }
}
