import { countByExit, countCargo, countCruise, countVitest } from "./counts.mjs";

const cargo = (...rest) => ["cargo", rest, { cwd: "shim" }];

/** vitest writes its count to a file, because what it prints is for people. */
function vitest(project, ...rest) {
  const reporter = ["--reporter=dot", "--reporter=./tools/test/vitest-counter.mjs"];
  return ["vitest", ["run", "--project", project, ...reporter, ...rest]];
}

/** These tests mostly wait for processes; each file has a daemon of its own. */
const kernelWorkers = 3;

/**
 * A stage: its command, how its result is counted, and what must have ended before. Stages of one `lane` follow one
 * another (cargo locks its target directory), lanes run side by side. `alone`: its times mean something, so
 * nothing runs beside it.
 */
export const stages = [
  {
    name: "build",
    part: "kernel",
    lane: "native",
    command: ["node", ["tools/build.mjs"]],
    count: countByExit,
  },
  {
    name: "cargo fmt",
    part: "static",
    lane: "native",
    command: cargo("fmt", "--all", "--check"),
    count: countByExit,
  },
  {
    name: "clippy",
    part: "static",
    lane: "native",
    command: cargo("clippy", "--workspace", "--all-targets", "--locked", "--quiet", "--", "-D", "warnings"),
    count: countByExit,
  },
  {
    name: "cargo test",
    part: "rust",
    lane: "native",
    command: cargo("test", "--workspace", "--locked", "--no-fail-fast"),
    count: countCargo,
  },
  {
    name: "format and lint",
    part: "static",
    lane: "script",
    command: ["biome", ["ci", "."]],
    count: countByExit,
  },
  { name: "types", part: "static", lane: "script", command: ["tsc", ["--noEmit"]], count: countByExit },
  {
    name: "layers",
    part: "static",
    lane: "script",
    command: ["depcruise", ["src", "--config", ".dependency-cruiser.cjs", "--output-type", "json"]],
    count: countCruise,
  },
  {
    name: "dead code",
    part: "static",
    lane: "script",
    command: ["knip", ["--no-progress"]],
    count: countByExit,
  },
  {
    name: "unit, contract, architecture",
    part: "unit",
    lane: "script",
    after: ["build"],
    command: vitest("unit"),
    count: countVitest,
  },
  {
    name: "integration, end to end",
    part: "kernel",
    alone: true,
    command: vitest("integration", `--maxWorkers=${kernelWorkers}`),
    count: countVitest,
  },
];
