/**
 * Hostile bytes for the readers of src/cni: `FUZZ_SECONDS` for each (60), two at a time, from `FUZZ_SEED`.
 * `FUZZ_INPUT=FILE` gives them that file only, such as one that a finding left.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { stdout } from "node:process";
import { type FuzzReport, readOnce } from "./fuzz-reader.ts";
import { readers } from "./readers.ts";
import { runJob } from "./run-job.ts";

function say(line: string): void {
  stdout.write(`${line}\n`);
}

function replay(file: string): void {
  const text = readFileSync(file, "utf8");
  for (const reader of readers) {
    const { problem, refusal, tookMs } = readOnce(reader, text);
    if (problem !== undefined) process.exitCode = 1;
    say(`${reader.name}: ${problem ?? refusal ?? "accepted"} (${tookMs.toFixed(1)} ms)`);
  }
}

function keep(reader: string, input: string): string {
  const directory = join(tmpdir(), "multusd-fuzz");
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const hash = createHash("sha256").update(input).digest("hex").slice(0, 12);
  const file = join(directory, `${reader.replaceAll(" ", "-")}-${hash}`);
  writeFileSync(file, input);
  return file;
}

function print(reader: string, report: FuzzReport): void {
  const { inputs, accepted, refusals, slowestMs, findings } = report;
  const counts = `${inputs} inputs, ${accepted} accepted, ${refusals} kinds of refusal`;
  say(`${reader}: ${counts}, slowest ${slowestMs.toFixed(0)} ms, ${findings.length} findings`);
  for (const { problem, input } of findings) {
    process.exitCode = 1;
    say(`\n${problem}\nFUZZ_INPUT=${keep(reader, input)} make fuzz\n`);
  }
}

async function fuzz(): Promise<void> {
  const seconds = Number(process.env["FUZZ_SECONDS"] ?? 60);
  const seed = Number(process.env["FUZZ_SEED"] ?? Date.now() % 2 ** 31);
  say(`seed ${seed}, ${seconds} s for each of ${readers.length} readers`);
  const waiting = [...readers];
  const lane = async () => {
    for (let reader = waiting.shift(); reader !== undefined; reader = waiting.shift()) {
      print(reader.name, await runJob({ reader: reader.name, seed, runMs: seconds * 1000 }));
    }
  };
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, lane));
}

const input = process.env["FUZZ_INPUT"];
if (input === undefined) await fuzz();
else replay(input);
