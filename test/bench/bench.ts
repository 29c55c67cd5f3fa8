/**
 * What a call costs over the plugin itself, and what the daemon weighs. Medians; run it on a quiet machine.
 * `RUNS=500 make bench` for steadier numbers.
 */
import { stdout } from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { dist } from "../support/dist.ts";
import { type BenchNode, makeBenchNode } from "./bench-node.ts";
import { benchCni } from "./cni-bench.ts";
import { memoryOf } from "./memory.ts";
import { median, quantile, table } from "./statistics.ts";
import { timeRuns } from "./timed-runs.ts";

const count = Number(process.env["RUNS"] ?? 200);
const starts = 5;

interface Measured {
  readonly name: string;
  readonly times: readonly number[];
  /** The same plugins run bare; nothing to compare with: the shim's own start. */
  readonly bareMs?: number;
  /** Contract: at most this much over the bare plugin. */
  readonly budgetMs?: number;
}

const node = await makeBenchNode();
try {
  const startTimes = await measureStarts(node);
  const daemon = await node.start();
  try {
    await pause(2_000);
    const idle = await memoryOf(daemon.pid);
    const rows = await measureCalls(node);
    const after = await memoryOf(daemon.pid);
    print(rows);
    stdout.write(
      `\n${table(
        ["daemon with multus-host", "measured", "contract"],
        [
          ["start to serving (median)", `${median(startTimes).toFixed(0)} ms`, "600 ms"],
          ["resident, idle", `${idle.residentMb.toFixed(1)} MB`, "110 MB"],
          ["anonymous, idle", `${idle.anonymousMb.toFixed(1)} MB`, "60 MB"],
          ["resident, after the calls", `${after.residentMb.toFixed(1)} MB`, ""],
          ["anonymous, after the calls", `${after.anonymousMb.toFixed(1)} MB`, ""],
        ],
      )}\n`,
    );
  } finally {
    await daemon.stop();
  }
} finally {
  await node.remove();
}
await benchCni(count);

async function measureStarts(bench: BenchNode): Promise<readonly number[]> {
  const times: number[] = [];
  for (let i = 0; i < starts; i++) {
    const daemon = await bench.start();
    times.push(daemon.readyAfterMs);
    await daemon.stop();
  }
  return times;
}

async function measureCalls(bench: BenchNode): Promise<readonly Measured[]> {
  const bare = async (command: string) =>
    await timeRuns({
      program: bench.plugin,
      count,
      stdinFile: bench.pluginInput,
      env: bench.env(command, "one", "bare"),
    });
  const shim = async (command: string, pod: string, prefix = pod) =>
    await timeRuns({
      program: dist.shim,
      count,
      stdinFile: bench.shimInput,
      env: bench.env(command, pod, prefix),
    });
  const [bareAdd, bareDelete] = [await bare("ADD"), await bare("DEL")];
  await shim("ADD", "one", "warm");
  await shim("DEL", "one", "warm");
  const rows: Measured[] = [
    { name: "plugin bare, ADD", times: bareAdd },
    { name: "plugin bare, DEL", times: bareDelete },
    { name: "shim alone, VERSION", times: await shim("VERSION", "one") },
  ];
  for (const [pod, networks] of [
    ["one", 1],
    ["three", 3],
  ] as const) {
    const budget = networks === 1 ? { budgetMs: 4 } : {};
    for (const [command, alone] of [
      ["ADD", bareAdd],
      ["DEL", bareDelete],
    ] as const) {
      const times = await shim(command, pod);
      rows.push({
        name: `${command}, ${networks} network${networks > 1 ? "s" : ""}`,
        times,
        bareMs: networks * median(alone),
        ...budget,
      });
    }
  }
  return rows;
}

function print(rows: readonly Measured[]): void {
  const head = [
    `one at a time, ${count} runs`,
    "median ms",
    "p95 ms",
    "bare ms",
    "over bare ms",
    "times bare",
    "contract",
  ];
  const cells = rows.map(({ name, times, bareMs, budgetMs }) => {
    const middle = median(times);
    const compared =
      bareMs === undefined
        ? ["", "", ""]
        : [bareMs, middle - bareMs, middle / bareMs].map((n) => n.toFixed(2));
    return [
      name,
      middle.toFixed(2),
      quantile(times, 0.95).toFixed(2),
      ...compared,
      budgetMs === undefined ? "" : `+${budgetMs} ms`,
    ];
  });
  stdout.write(`\n${table(head, cells)}\n`);
}
