import { type ChildProcess, spawn } from "node:child_process";

export interface ProgramInput {
  readonly program: string;
  readonly args?: readonly string[];
  /** The whole environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Buffer;
  /** SIGKILL after this; a test must not hang with what it tests. */
  readonly limitMs?: number;
}

export interface ProgramOutcome {
  /** `null`: it was ended by a signal. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly wallMs: number;
}

export interface RunningProgram {
  readonly pid: number;
  readonly ended: Promise<ProgramOutcome>;
  kill(signal: NodeJS.Signals): void;
}

/** Starts a program; `ended` never rejects because of how it ends, only if it could not start. */
export function startProgram(input: ProgramInput): RunningProgram {
  const started = performance.now();
  const child = spawn(input.program, input.args ?? [], {
    env: input.env ?? {},
    stdio: ["pipe", "pipe", "pipe"],
    timeout: input.limitMs ?? 60_000,
    killSignal: "SIGKILL",
  });
  // A program that ends without reading its stdin is for the test to judge, not an error of this process.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input.stdin ?? "");
  return {
    pid: child.pid ?? 0,
    ended: outcomeOf(child, started),
    kill: (signal) => {
      child.kill(signal);
    },
  };
}

/** Runs a program to its end. */
export async function runProgram(input: ProgramInput): Promise<ProgramOutcome> {
  return await startProgram(input).ended;
}

async function outcomeOf(child: ChildProcess, started: number): Promise<ProgramOutcome> {
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject).once("close", resolve);
  });
  return { code, stdout, stderr, wallMs: performance.now() - started };
}
