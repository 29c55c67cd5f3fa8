import { parentPort, workerData } from "node:worker_threads";
import { fuzzReader } from "./fuzz-reader.ts";
import { Progress } from "./progress.ts";
import { readers } from "./readers.ts";

export interface FuzzJob {
  readonly reader: string;
  readonly seed: number;
  readonly runMs: number;
  readonly shared: SharedArrayBuffer;
}

const job = workerData as FuzzJob;
const reader = readers.find(({ name }) => name === job.reader);
if (reader === undefined) throw new Error(`no reader ${job.reader}`);
const progress = new Progress(job.shared);
const end = performance.now() + job.runMs;
const report = fuzzReader(reader, job.seed, (inputs, text) => {
  progress.begin(inputs, text);
  return performance.now() > end;
});
parentPort?.postMessage(report);
