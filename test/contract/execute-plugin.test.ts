import { beforeAll, describe, expect, it } from "vitest";
import type { ExecutePlugin } from "../../src/cni/execute-plugin.ts";
import { FakeExecutePlugin, type PluginScript } from "../support/fake-execute-plugin.ts";
import { hostBinary, hostBuildMs } from "../support/host-binary.ts";
import { writeScriptedPlugin } from "../support/scripted-plugin.ts";
import { invocationOf, usePluginHost } from "../support/use-plugin-host.ts";

interface Subject {
  readonly execute: ExecutePlugin;
  /** Makes a plugin that does this; returns its path. */
  install(script: PluginScript): Promise<string>;
}

async function fake(): Promise<Subject> {
  const plugins = new FakeExecutePlugin();
  let count = 0;
  const install = async (script: PluginScript) => {
    const path = `/opt/cni/bin/plugin-${++count}`;
    plugins.set(path, script);
    return path;
  };
  return { execute: plugins.execute, install };
}

async function real(): Promise<Subject> {
  const { host, directory } = await usePluginHost();
  let count = 0;
  const install = async (script: PluginScript) =>
    await writeScriptedPlugin(directory, `plugin-${++count}`, script);
  return { execute: host.executePlugin, install };
}

beforeAll(async () => void (await hostBinary()), hostBuildMs);

describe.each([
  ["multus-host", real],
  ["the fake", fake],
])("ExecutePlugin by %s", (_name, start) => {
  it("reports exit code, stdout and stderr of a plugin that ended by itself", async () => {
    const { execute, install } = await start();
    const plugin = await install({ stdout: '{"ips":[]}', stderr: "it's done", exitCode: 3 });

    const outcome = await execute(invocationOf(plugin));

    expect(outcome).toMatchObject({
      kind: "exited",
      exitCode: 3,
      output: { stdout: '{"ips":[]}', stderr: "it's done", stdoutTruncated: false },
    });
  });

  it("names the signal that ended a plugin", async () => {
    const { execute, install } = await start();
    const plugin = await install({ stdout: "partial", signal: "SIGSEGV" });

    const outcome = await execute(invocationOf(plugin));

    expect(outcome).toMatchObject({ kind: "killed", signal: "SIGSEGV", output: { stdout: "partial" } });
  });

  it("says of a plugin that is not there what Go would say", async () => {
    const { execute } = await start();

    const outcome = await execute(invocationOf("/opt/cni/bin/not-there"));

    expect(outcome).toEqual({
      kind: "not-started",
      reason: "not-found",
      errno: "ENOENT",
      message: "fork/exec /opt/cni/bin/not-there: no such file or directory",
    });
  });

  it("ends a plugin that is out of time and names the limit", async () => {
    const { execute, install } = await start();
    const plugin = await install({ stdout: "begun", takesMs: "forever" });

    const outcome = await execute(invocationOf(plugin, { timeoutMs: 200 }));

    expect(outcome).toMatchObject({ kind: "timed-out", timeoutMs: 200, output: { stdout: "begun" } });
  });

  it("ends a plugin whose caller has gone", async () => {
    const { execute, install } = await start();
    const plugin = await install({ takesMs: "forever" });
    const caller = new AbortController();

    const run = execute(invocationOf(plugin), caller.signal);
    caller.abort();

    expect(await run).toMatchObject({ kind: "cancelled" });
  });

  it("starts nothing for a caller that has gone already", async () => {
    const { execute, install } = await start();
    const plugin = await install({ stdout: "never" });

    const outcome = await execute(invocationOf(plugin), AbortSignal.abort());

    expect(outcome).toMatchObject({ kind: "cancelled", output: { stdout: "", wallMs: 0 } });
  });

  it("runs plugins side by side", async () => {
    const { execute, install } = await start();
    const slow = await install({ stdout: "slow", takesMs: "forever" });
    const quick = await install({ stdout: "quick" });
    const caller = new AbortController();

    const slowRun = execute(invocationOf(slow), caller.signal);
    const quickOutcome = await execute(invocationOf(quick));
    caller.abort();

    expect(quickOutcome).toMatchObject({ kind: "exited", output: { stdout: "quick" } });
    expect(await slowRun).toMatchObject({ kind: "cancelled" });
  });
});
