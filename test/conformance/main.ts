import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileProgram } from "../support/compile-program.ts";
import { dist } from "../support/dist.ts";
import { generateScenario } from "./generate/generate-scenario.ts";
import { renderDeviations, renderFailure, renderTexts } from "./report.ts";
import { type Outcome, runScenario, type Sides } from "./run/run-scenario.ts";

/** What `tools/conformance.sh` says by variables. */
interface Request {
  readonly cnitool: string;
  readonly seed: number;
  readonly indexes: readonly number[];
}

/** The same each time: what fails must be what was changed. Other seeds are for whoever looks for more. */
const usualSeed = 1;
const usualCount = 320;

function readRequest(env: NodeJS.ProcessEnv): Request {
  const cnitool = env["CNITOOL"];
  if (cnitool === undefined) throw new Error("CNITOOL names no program; see tools/conformance.sh");
  const seed = numberOf(env["CONFORMANCE_SEED"]) ?? usualSeed;
  const only = numberOf(env["CONFORMANCE_ONLY"]);
  const count = numberOf(env["CONFORMANCE_COUNT"]) ?? usualCount;
  return {
    cnitool,
    seed,
    indexes: only === undefined ? Array.from({ length: count }, (_, index) => index) : [only],
  };
}

function numberOf(text: string | undefined): number | undefined {
  if (text === undefined || text === "") return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new Error(`"${text}" is no number`);
  return Number(text);
}

async function runAll({ cnitool, seed, indexes }: Request): Promise<readonly Outcome[]> {
  const directory = await mkdtemp(join(tmpdir(), "multusd-conformance-"));
  const sides: Sides = {
    upstream: { name: "cnitool", command: [cnitool] },
    ours: { name: "multusctl", command: [dist.control, "cni"] },
    program: await compileProgram(
      fileURLToPath(new URL("../fixtures/plugins/recording-plugin.c", import.meta.url)),
    ),
    directory,
  };
  const outcomes: Outcome[] = [];
  const waiting = [...indexes].reverse();
  const work = async () => {
    for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
      const outcome = await runScenario(generateScenario(seed, index), sides);
      if (outcome.failures.length > 0) process.stdout.write(renderFailure(outcome, seed));
      if (process.env["CONFORMANCE_TEXTS"] === "1") process.stdout.write(renderTexts(outcome));
      outcomes.push(outcome);
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, work));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
  return outcomes;
}

const request = readRequest(process.env);
process.stdout.write(`conformance: seed ${request.seed}, ${request.indexes.length} scenarios\n`);
const outcomes = await runAll(request);
const failed = outcomes.filter(({ failures }) => failures.length > 0).length;
process.stdout.write(renderDeviations(outcomes));
process.stdout.write(`${outcomes.length - failed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
