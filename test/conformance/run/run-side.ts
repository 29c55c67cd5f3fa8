import { mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { parseCalls, type RecordedCall } from "../../support/recorded-calls.ts";
import { runProgram } from "../../support/run-program.ts";
import { type Scenario, type Step, world } from "../scenario.ts";
import type { LeftFile, Observation } from "./observation.ts";
import { applyChange, layOut, type World } from "./world.ts";

/** A program with cnitool's command line. */
export interface Side {
  readonly name: "cnitool" | "multusctl";
  /** Program, and arguments that stand before the verb. */
  readonly command: readonly string[];
}

export interface SideRun {
  readonly scenario: Scenario;
  readonly side: Side;
  /** Made, and removed afterwards. */
  readonly directory: string;
  readonly program: string;
  readonly hidden?: World["hidden"];
}

const noneHidden: World["hidden"] = { files: [], for: "ever" };

/** Far above what any step takes. */
const limitMs = 60_000;

/** In a mount namespace of its own the side's directory is at `world`, where cnitool's cache is. */
const enter = 'mount --bind "$0" /var/lib/cni && cd / && exec "$@"';

/** Lets a side do all steps of the scenario in a world of its own. */
export async function runSide(run: SideRun): Promise<readonly Observation[]> {
  const { scenario, directory, program } = run;
  await mkdir(directory, { recursive: true });
  const itsWorld: World = { directory, scenario, program, hidden: run.hidden ?? noneHidden, writers: [] };
  try {
    await layOut(itsWorld);
    const observations: Observation[] = [];
    for (const step of scenario.steps) observations.push(await runStep(run, itsWorld, step));
    return observations;
  } finally {
    await Promise.all(itsWorld.writers.map((writer) => writer.close()));
    await rm(directory, { recursive: true, force: true });
  }
}

async function runStep(
  { scenario, side, directory }: SideRun,
  itsWorld: World,
  step: Step,
): Promise<Observation> {
  for (const change of step.before) await applyChange(itsWorld, change);
  const earlier = await readCalls(directory);
  const filesBefore = await readResults(directory);
  const { code, stdout, stderr } = await runProgram({
    program: "unshare",
    args: [
      ...["--mount", "--", "sh", "-c", enter, directory],
      ...[...side.command, step.verb, scenario.network, scenario.netns],
    ],
    env: {
      PATH: process.env["PATH"] ?? "/usr/bin:/bin",
      NETCONFPATH: `${world}/net.d`,
      CNI_PATH: `${world}/bin`,
      ...scenario.env,
    },
    limitMs,
  });
  const calls = (await readCalls(directory)).slice(earlier.length);
  return { exit: code, stdout, stderr, calls, filesBefore, filesAfter: await readResults(directory) };
}

async function readCalls(directory: string): Promise<readonly RecordedCall[]> {
  return parseCalls(await readFile(join(directory, "ctl", "calls.jsonl"), "utf8").catch(() => ""));
}

async function readResults(directory: string): Promise<ReadonlyMap<string, LeftFile>> {
  const results = join(directory, "results");
  const names = await readdir(results).catch(() => []);
  const files = new Map<string, LeftFile>();
  for (const name of ["", ...names.sort()]) {
    const file = join(results, name);
    const status = await stat(file).catch(() => undefined);
    if (status === undefined) continue;
    const text = status.isDirectory() ? undefined : await readFile(file, "utf8");
    files.set(name, { text, mode: status.mode & 0o777 });
  }
  return files;
}
