import { Worker } from "node:worker_threads";
import type { FuzzReport } from "./fuzz-reader.ts";
import type { FuzzJob } from "./fuzz-worker.ts";
import { Progress } from "./progress.ts";

/** Far above what an input of the largest size may take. */
const hangMs = 20_000;
/** Far above what an input of the largest size needs. */
const maxHeapMb = 256;

/** Fuzzes one reader in a thread with little memory; a thread that hangs or dies is a finding. */
export async function runJob(job: Omit<FuzzJob, "shared">): Promise<FuzzReport> {
  const progress = new Progress();
  const worker = new Worker(new URL("fuzz-worker.ts", import.meta.url), {
    workerData: { ...job, shared: progress.shared } satisfies FuzzJob,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
  });
  const { promise, resolve } = Promise.withResolvers<FuzzReport>();
  const died = (problem: string) =>
    resolve({
      inputs: progress.inputs,
      accepted: 0,
      refusals: 0,
      slowestMs: 0,
      findings: [{ problem, input: progress.text }],
    });
  worker.once("message", resolve);
  worker.once("error", (error) => died(`the thread died: ${String(error)}`));
  worker.once("exit", (code) => died(`the thread ended with ${code}`));
  const stopWatching = watch(progress, () => died(`no end within ${hangMs} ms`));
  try {
    return await promise;
  } finally {
    stopWatching();
    await worker.terminate();
  }
}

function watch(progress: Progress, onHang: () => void): () => void {
  let seen = { inputs: -1, atMs: performance.now() };
  const timer = setInterval(() => {
    if (progress.inputs !== seen.inputs) seen = { inputs: progress.inputs, atMs: performance.now() };
    else if (performance.now() - seen.atMs > hangMs) onHang();
  }, 1_000);
  return () => clearInterval(timer);
}
