import { fileURLToPath } from "node:url";
import { compileProgram } from "../support/compile-program.ts";
import { runProgram } from "../support/run-program.ts";

const source = fileURLToPath(new URL("spawn-timer.c", import.meta.url));

export interface TimedRuns {
  readonly program: string;
  readonly args?: readonly string[];
  /** Words before the command that times them. */
  readonly wrapper?: readonly string[];
  readonly count: number;
  readonly stdinFile: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Milliseconds of each run of a program, one at a time. Rejects if one of them fails. */
export async function timeRuns(runs: TimedRuns): Promise<readonly number[]> {
  const timer = await compileProgram(source);
  const command = [timer, String(runs.count), runs.stdinFile, runs.program, ...(runs.args ?? [])];
  const [program = "", ...args] = [...(runs.wrapper ?? []), ...command];
  const { code, stdout, stderr } = await runProgram({
    program,
    args,
    env: runs.env,
    limitMs: 300_000,
  });
  if (code !== 0) throw new Error(stderr.trim());
  return stdout
    .trim()
    .split("\n")
    .map((line) => Number(line) / 1e6);
}
