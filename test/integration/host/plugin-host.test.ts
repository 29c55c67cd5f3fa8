import { chmod, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { HostLostError, startPluginHost } from "../../../src/host/plugin-host.ts";
import { hostBinary, hostBuildMs } from "../../support/host-binary.ts";
import { isRunning, writtenPid } from "../../support/process-states.ts";
import { RecordingLog } from "../../support/recording-log.ts";
import { writeScript } from "../../support/scripted-plugin.ts";
import { invocationOf, useDirectory, usePluginHost } from "../../support/use-plugin-host.ts";
import { waitFor } from "../../support/wait-for.ts";

beforeAll(async () => void (await hostBinary()), hostBuildMs);

/** A plugin with a grandchild; both write down who they are. */
async function writeFamily(directory: string): Promise<string> {
  const body = `echo $$ > ${directory}/leader; sleep 1000 & echo $! > ${directory}/grandchild; wait`;
  return await writeScript(directory, "family", body);
}

describe("multus-host that dies", () => {
  it("fails what it ran by name, and the next one ends what is left and serves", async () => {
    const { host, directory, pid, restarts } = await usePluginHost();
    const family = await writeFamily(directory);
    const quick = await writeScript(directory, "quick", "echo fine");
    const lost = host.executePlugin(invocationOf(family));
    const leader = await writtenPid(join(directory, "leader"));
    const grandchild = await writtenPid(join(directory, "grandchild"));

    process.kill(await pid(), "SIGKILL");

    expect(await lost).toEqual({ kind: "executor-lost", message: "multus-host was ended by SIGKILL" });
    const outcome = await host.executePlugin(invocationOf(quick));
    expect(outcome).toMatchObject({ kind: "exited", output: { stdout: "fine\n" } });
    expect([await isRunning(leader), await isRunning(grandchild)]).toEqual([false, false]);
    expect(restarts).toMatchObject([{ ended: [{ owner: "container-1", group: leader }] }]);
    expect(host.isRunning).toBe(true);
  });

  it("again and again is started again with waits between, and serves in the end", async () => {
    const { host, directory, pid, log } = await usePluginHost();
    const quick = await writeScript(directory, "quick", "echo fine");
    for (let death = 0; death < 4; death += 1) {
      process.kill(await pid(), "SIGKILL");
      await waitFor("the loss to be noticed", () => log.lines.length > death * 2);
      await waitFor("the next one", () => host.isRunning);
    }

    expect(await host.executePlugin(invocationOf(quick))).toMatchObject({ kind: "exited" });
    const waits = log.lines.flatMap(({ fields }) => ("waitMs" in fields ? [fields.waitMs] : []));
    expect(waits).toEqual([0, 50, 100, 200]);
  });

  it("and cannot be replaced fails a run once its own time is over, and a question in time", async () => {
    const directory = await useDirectory();
    const program = join(directory, "multus-host");
    await writeFile(program, await readFile(await hostBinary()), { mode: 0o755 });
    const { host, pid } = await usePluginHost(program);
    await rename(program, `${program}.gone`);
    process.kill(await pid(), "SIGKILL");
    await waitFor("the loss to be noticed", () => !host.isRunning);

    const outcome = await host.executePlugin(invocationOf("/bin/true", { timeoutMs: 300 }));
    expect(outcome).toEqual({ kind: "executor-lost", message: "multus-host did not come back in time" });
    const caller = new AbortController();
    const cancelled = host.executePlugin(invocationOf("/bin/true"), caller.signal);
    caller.abort();
    expect(await cancelled).toMatchObject({ kind: "cancelled" });

    await rename(`${program}.gone`, program);
    expect(await host.executePlugin(invocationOf("/bin/true"))).toMatchObject({ kind: "exited" });
  });
});

describe("multus-host that hangs", () => {
  it("is ended and replaced once a run is long overdue", async () => {
    const { host, directory, pid } = await usePluginHost();
    const quick = await writeScript(directory, "quick", "echo fine");
    process.kill(await pid(), "SIGSTOP");

    const outcome = await host.executePlugin(invocationOf(quick, { timeoutMs: 100 }));

    expect(outcome).toEqual({ kind: "executor-lost", message: "multus-host does not answer" });
    expect(await host.executePlugin(invocationOf(quick))).toMatchObject({ kind: "exited" });
  });
});

describe("what is no multus-host", () => {
  it.each([
    ["is not there", undefined],
    ["ends at once", "exit 3"],
    ["speaks nonsense", "printf 'hello, world, hello, world'; exec cat >/dev/null"],
    ["breaks its pipe", "exec <&- >&-; exec sleep 1000"],
    [
      "speaks another protocol",
      `printf '\\0\\0\\0\\056\\0\\0\\0\\0{"id":1,"version":"9","protocol":9,"ended":[]}   '; exec cat`,
    ],
  ])("refuses the start: one that %s", async (_what, body) => {
    const directory = await useDirectory();
    const binary =
      body === undefined ? join(directory, "missing") : await writeScript(directory, "host", body);
    const options = { binary, runsDirectory: join(directory, "runs"), bootId: "b", log: new RecordingLog() };

    await expect(startPluginHost(options)).rejects.toThrow(HostLostError);
  });

  it("refuses the start: one that may not be executed", async () => {
    const directory = await useDirectory();
    const binary = await writeScript(directory, "host", "");
    await chmod(binary, 0o644);
    const options = { binary, runsDirectory: join(directory, "runs"), bootId: "b", log: new RecordingLog() };

    await expect(startPluginHost(options)).rejects.toMatchObject({ cause: { code: "EACCES" } });
  });
});

describe("stopping", () => {
  it("ends what runs, with its group, and refuses what comes later", async () => {
    const { host, directory } = await usePluginHost();
    const run = host.executePlugin(invocationOf(await writeFamily(directory)));
    const grandchild = await writtenPid(join(directory, "grandchild"));

    await host.stop();

    expect(await run).toMatchObject({ kind: "executor-lost" });
    await waitFor("the grandchild to be gone", async () => !(await isRunning(grandchild)));
    expect(await host.executePlugin(invocationOf("/bin/true"))).toMatchObject({ kind: "executor-lost" });
    await expect(host.namespaces.identify("/proc/self/ns/net")).rejects.toMatchObject({
      failureClass: "not-ready",
    });
  });
});
