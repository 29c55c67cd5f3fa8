import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Longest a stage may take; a hanging test must not hold a pipeline. */
const stageLimitMs = 8 * 60_000;

/** Runs all stages, lanes side by side and then the lonely ones, and tells `report` of each as it ends. */
export async function runInLanes(stages, report) {
  const directory = await mkdtemp(join(tmpdir(), "multusd-test-"));
  try {
    return await schedule(stages, async (stage) => {
      const result = await run(stage, join(directory, `${stage.name.replaceAll(/\W+/g, "-")}.json`));
      report(result);
      return result;
    });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function schedule(stages, perform) {
  const results = new Map();
  const lanes = Map.groupBy(
    stages.filter((stage) => !stage.alone),
    (stage) => stage.lane,
  );
  const done = new Map(stages.map((stage) => [stage.name, Promise.withResolvers()]));
  const inOrder = async (lane) => {
    for (const stage of lane) {
      await Promise.all((stage.after ?? []).map((name) => done.get(name)?.promise));
      results.set(stage.name, await perform(stage));
      done.get(stage.name).resolve();
    }
  };
  await Promise.all([...lanes.values()].map(inOrder));
  await inOrder(stages.filter((stage) => stage.alone));
  return stages.map((stage) => results.get(stage.name));
}

async function run(stage, countFile) {
  const started = performance.now();
  const [program, arguments_, options] = stage.command;
  const child = spawn(program, arguments_, {
    ...options,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, MULTUSD_TEST_COUNT: countFile, FORCE_COLOR: "0", CARGO_TERM_COLOR: "never" },
    timeout: stageLimitMs,
    killSignal: "SIGTERM",
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
  const code = await new Promise((resolve) => {
    child.once("error", (error) => resolve(String(error)));
    child.once("close", (status, signal) => resolve(status ?? `ended by ${signal}`));
  });
  const counted = await stage.count({ code, stdout, stderr, countFile });
  return {
    name: stage.name,
    code,
    seconds: (performance.now() - started) / 1000,
    output: stdout + stderr,
    ...counted,
  };
}
