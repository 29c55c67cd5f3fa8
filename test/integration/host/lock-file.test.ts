import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { acquireLock, LockError, type LockOptions } from "../../../src/host/lock-file.ts";
import { readProcessStart } from "../../../src/host/process-start.ts";
import { hostBinary, hostBuildMs } from "../../support/host-binary.ts";
import { useDirectory } from "../../support/use-plugin-host.ts";

beforeAll(async () => void (await hostBinary()), hostBuildMs);

async function options(changes: Partial<LockOptions> = {}): Promise<LockOptions> {
  return { binary: await hostBinary(), waitMs: 0, ...changes };
}

/** Another process that holds the lock. */
async function useHolder(file: string): Promise<ChildProcess> {
  const program = fileURLToPath(new URL("lock-program.ts", import.meta.url));
  const holder = spawn(process.execPath, [program, await hostBinary(), file], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void holder.kill("SIGKILL"));
  const [said] = await once(holder.stdout, "data");
  expect(String(said)).toBe("held\n");
  return holder;
}

async function useFile(): Promise<string> {
  return join(await useDirectory(), "lock");
}

describe("the lock of a state directory", () => {
  it("names its holder to whoever comes second", async () => {
    const file = await useFile();
    const holder = await useHolder(file);

    const outcome = await acquireLock(file, await options());

    const pid = holder.pid ?? 0;
    expect(outcome).toEqual({ kind: "taken", holder: { pid, startTime: await readProcessStart(pid) } });
  });

  it("falls to whoever waits as soon as its holder is killed", async () => {
    const file = await useFile();
    const holder = await useHolder(file);

    const second = acquireLock(file, await options({ waitMs: 20_000 }));
    holder.kill("SIGKILL");

    const outcome = await second;
    expect(outcome.kind).toBe("held");
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual({
      pid: process.pid,
      startTime: await readProcessStart(process.pid),
    });
    if (outcome.kind === "held") await outcome.release();
  });

  it("is still taken when the wait is over", async () => {
    const file = await useFile();
    await useHolder(file);

    const startedMs = performance.now();
    expect(await acquireLock(file, await options({ waitMs: 200 }))).toMatchObject({ kind: "taken" });
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(200);
  });

  it("can be waited for no longer than the caller wants", async () => {
    const file = await useFile();
    const holder = await useHolder(file);
    const caller = new AbortController();

    const second = acquireLock(file, await options({ waitMs: 20_000, signal: caller.signal }));
    caller.abort(new Error("changed my mind"));

    await expect(second).rejects.toThrow("changed my mind");
    holder.kill("SIGKILL");
    await once(holder, "exit");
    const outcome = await acquireLock(file, await options());
    expect(outcome.kind).toBe("held");
    if (outcome.kind === "held") await outcome.release();
  });

  it("is free again once it was released, and is not passed on to children", async () => {
    const file = await useFile();
    const first = await acquireLock(file, await options());
    const child = spawn("sleep", ["1000"]);
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child, "spawn");
    if (first.kind !== "held") throw new Error(first.kind);
    expect(await acquireLock(file, await options())).toMatchObject({
      kind: "taken",
      holder: { pid: process.pid },
    });

    await first.release();

    const second = await acquireLock(file, await options());
    expect(second.kind).toBe("held");
    if (second.kind === "held") await second.release();
  });

  it.each([
    ["nothing", ""],
    ["half a line", "{"],
    ["null", "null"],
    ["a text for a number", '{"pid":"17","startTime":"2"}'],
    ["everybody's process", '{"pid":1,"startTime":"2"}'],
    ["no start time", '{"pid":17}'],
    ["too much", `{"pid":17,"startTime":"${"1".repeat(10_000)}"}`],
  ])("is taken by nobody in particular where the file says %s", async (_what, content) => {
    const file = await useFile();
    await useHolder(file);
    await writeFile(file, content);
    expect(await acquireLock(file, await options())).toEqual({ kind: "taken", holder: undefined });
  });

  it("is taken on the file that is there, not on one that was removed", async () => {
    const file = await useFile();
    await useHolder(file);
    await rm(file);
    const outcome = await acquireLock(file, await options());
    expect(outcome.kind).toBe("held");
    expect(await acquireLock(file, await options())).toMatchObject({
      kind: "taken",
      holder: { pid: process.pid },
    });
    if (outcome.kind === "held") await outcome.release();
  });

  it("cannot be taken without the program that takes it", async () => {
    const file = await useFile();
    await expect(acquireLock(file, await options({ binary: "/nowhere" }))).rejects.toThrow(LockError);
  });
});
