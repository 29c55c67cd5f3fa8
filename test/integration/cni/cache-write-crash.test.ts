import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { createResultCache, parseResult, writeFileDurably } from "../../../src/cni/index.ts";

const script = fileURLToPath(new URL("crash-at-step.mjs", import.meta.url));

/** True if the writer came to its end, false if it was killed on the way. */
async function writeUntilStep(directory: string, netns: string, step: number): Promise<boolean> {
  const child = spawn(process.execPath, [script, directory, netns, String(step)], { stdio: "inherit" });
  const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  if (signal !== "SIGKILL" && code !== 0) throw new Error(`writer ended with ${code ?? signal}`);
  return code === 0;
}

async function readNetns(directory: string): Promise<string> {
  const found = await createResultCache(directory, writeFileDurably).read("net", "cid", "eth0");
  return found.kind === "usable" ? found.record.netns : found.kind;
}

async function makeDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "multusd-cni-crash-"));
  onTestFinished(async () => {
    await rm(directory, { recursive: true, force: true });
  });
  return directory;
}

it("case 44: a writer killed at any step leaves the old record or the new one, whole", async () => {
  const directory = await makeDirectory();
  const cache = createResultCache(directory, writeFileDurably);
  const names = { networkName: "net", containerId: "cid", ifName: "eth0" };
  const rest = { config: "{}", args: [], capabilityArgs: {}, result: parseResult('{"cniVersion":"1.1.0"}') };
  const seen = new Set<string>();
  let kills = 0;
  for (let step = 0; ; step += 1) {
    await cache.write({ ...names, ...rest, netns: "old" });
    const isDone = await writeUntilStep(directory, "new", step);
    const netns = await readNetns(directory);
    expect(["old", "new"]).toContain(netns);
    seen.add(netns);
    if (isDone) break;
    kills += 1;
  }
  // Opening, writing, syncing and renaming the file, opening and syncing its directory; closing may or may not be one more.
  expect(kills).toBeGreaterThanOrEqual(6);
  expect(seen).toEqual(new Set(["old", "new"]));
  expect(await cache.list()).toMatchObject({ records: [{ netns: "new" }], corrupt: [] });
});

it("case 44: a first writer killed at any step leaves nothing or its record, whole", async () => {
  for (let step = 0; ; step += 1) {
    const directory = await makeDirectory();
    const isDone = await writeUntilStep(directory, "new", step);
    expect(["missing", "new"]).toContain(await readNetns(directory));
    if (isDone) break;
  }
});
