import { execFile } from "node:child_process";
import { copyFile, mkdir, open, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { hostBinary, hostBuildMs } from "../../support/host-binary.ts";
import { isRunning, writtenPid } from "../../support/process-states.ts";
import { writeScript } from "../../support/scripted-plugin.ts";
import { invocationOf, usePluginHost } from "../../support/use-plugin-host.ts";
import { waitFor } from "../../support/wait-for.ts";

const run = promisify(execFile);
const mebibyte = 1 << 20;

beforeAll(async () => void (await hostBinary()), hostBuildMs);

describe("a plugin", () => {
  it("that never reads 5 MiB of stdin is no failure", async () => {
    const { host, directory } = await usePluginHost();
    const plugin = await writeScript(directory, "deaf", "exit 0");

    const outcome = await host.executePlugin(invocationOf(plugin, { stdin: "x".repeat(5 * mebibyte) }));

    expect(outcome).toMatchObject({ kind: "exited", exitCode: 0 });
  });

  it("that floods stdout and stderr is cut at 8 MiB and 64 KiB", async () => {
    const { host, directory } = await usePluginHost();
    const body = "head -c 104857600 /dev/zero; head -c 1048576 /dev/zero >&2; echo last >&2; exit 1";
    const plugin = await writeScript(directory, "flood", body);

    const outcome = await host.executePlugin(invocationOf(plugin));

    if (outcome.kind !== "exited") throw new Error(outcome.kind);
    expect(outcome.output.stdout.length).toBe(8 * mebibyte);
    expect(outcome.output.stdoutTruncated).toBe(true);
    expect(outcome.output.stderr.length).toBe(64 << 10);
    expect(outcome.output.stderr.endsWith("last\n")).toBe(true);
  });

  it("that prints what is no text gives replacement characters", async () => {
    const { host, directory } = await usePluginHost();
    const plugin = await writeScript(directory, "binary", "printf 'a\\377b'; exit 5");

    const outcome = await host.executePlugin(invocationOf(plugin));

    expect(outcome).toMatchObject({ kind: "exited", exitCode: 5, output: { stdout: "a\ufffdb" } });
  });

  it("gets exactly the environment and stdin that were given", async () => {
    const { host, directory } = await usePluginHost();
    const plugin = await writeScript(directory, "echo", "cat; tr '\\0' '\\n' < /proc/$$/environ");
    const env = { CNI_ARGS: "a=b;c=d", UMLAUT: "ä", PATH: "/usr/bin:/bin" };

    const outcome = await host.executePlugin(
      invocationOf(plugin, { env, stdin: '{"n":9007199254740993}\n' }),
    );

    const stdout = '{"n":9007199254740993}\nCNI_ARGS=a=b;c=d\nUMLAUT=ä\nPATH=/usr/bin:/bin\n';
    expect(outcome).toMatchObject({ kind: "exited", output: { stdout } });
  });

  it("whose environment is larger than any frame is too long, and the next one runs", async () => {
    const { host } = await usePluginHost();

    const outcome = await host.executePlugin(
      invocationOf("/bin/true", { env: { A: "x".repeat(2 * mebibyte) } }),
    );

    expect(outcome).toMatchObject({ kind: "not-started", errno: "E2BIG" });
    expect(await host.executePlugin(invocationOf("/bin/true"))).toMatchObject({ kind: "exited" });
  });

  it("that is being written runs once its writer is done", async () => {
    const { host, directory } = await usePluginHost();
    const plugin = await writeScript(directory, "busy", "echo ready");
    const writer = await open(plugin, "a");

    const outcome = host.executePlugin(invocationOf(plugin));
    setTimeout(async () => await writer.close(), 150);

    expect(await outcome).toMatchObject({ kind: "exited", output: { stdout: "ready\n" } });
  });

  it("takes its whole group with it when it is out of time", async () => {
    const { host, directory } = await usePluginHost();
    const body = `sleep 1000 & echo $! > ${directory}/grandchild; wait`;
    const plugin = await writeScript(directory, "parent", body);

    const outcome = await host.executePlugin(invocationOf(plugin, { timeoutMs: 300 }));

    expect(outcome).toMatchObject({ kind: "timed-out" });
    const grandchild = await writtenPid(join(directory, "grandchild"));
    await waitFor("the grandchild to be gone", async () => !(await isRunning(grandchild)));
  });

  it("does not hold up 63 others", async () => {
    const { host, directory } = await usePluginHost();
    const plugin = await writeScript(directory, "nap", "cat; sleep 0.5");

    const runs = Array.from(
      { length: 64 },
      async (_, index) => await host.executePlugin(invocationOf(plugin, { stdin: `${index}` })),
    );

    const outcomes = await Promise.all(runs);
    const printed = outcomes.map((outcome) =>
      outcome.kind === "exited" ? outcome.output.stdout : outcome.kind,
    );
    expect(printed).toEqual(Array.from({ length: 64 }, (_, index) => `${index}`));
  });

  it("that cannot be killed is answered for all the same, and let go when it can", async (context) => {
    const group = `/sys/fs/cgroup/freezer/multus-host-test-${process.pid}`;
    const isThere = await mkdir(group).then(
      () => true,
      () => false,
    );
    context.skip(!isThere, "needs the freezer of cgroup v1");
    onTestFinished(async () => {
      await writeFile(`${group}/freezer.state`, "THAWED");
      await waitFor("the group to be empty", async () => await run("rmdir", [group]).then(() => true));
    });
    const { host, directory, runsDirectory, log } = await usePluginHost();
    const plugin = await writeScript(directory, "frozen", `echo $$ > ${directory}/pid; sleep 1000`);
    const outcome = host.executePlugin(invocationOf(plugin, { timeoutMs: 500 }));
    const pid = await writtenPid(join(directory, "pid"));
    await writeFile(`${group}/cgroup.procs`, `${pid}`);
    await writeFile(`${group}/freezer.state`, "FROZEN");

    expect(await outcome).toMatchObject({ kind: "timed-out" });
    expect(await isRunning(pid)).toBe(true);
    expect(await host.executePlugin(invocationOf("/bin/true"))).toMatchObject({ kind: "exited" });
    expect(log.lines.map(({ fields }) => fields)).toContainEqual({
      line: `multus-host: process ${pid} was killed and does not end`,
    });

    await writeFile(`${group}/freezer.state`, "THAWED");
    await waitFor("it to be gone", async () => !(await isRunning(pid)));
    await waitFor("its record to be gone", async () => {
      return (await run("ls", [runsDirectory])).stdout === "";
    });
  });
});

describe("a plugin under another root", () => {
  it("is looked for and runs inside", async () => {
    const { host, directory } = await usePluginHost();
    const root = join(directory, "root");
    await mkdir(join(root, "opt"), { recursive: true });
    await copyFile(await hostBinary(), join(root, "opt/program"));
    await writeScript(join(root, "opt"), "script", "echo never");

    const inside = async (path: string) => await host.executePlugin(invocationOf(path, { root }));

    // It prints how it wants to be called.
    const outcome = await inside("/opt/program");
    expect(outcome).toMatchObject({ kind: "exited", exitCode: 2 });
    expect(await inside("/bin/sh")).toMatchObject({ kind: "not-started", reason: "not-found" });
    // There is no shell inside.
    expect(await inside("/opt/script")).toMatchObject({ kind: "not-started", reason: "missing-interpreter" });
  });

  it("that is not there did not start for another reason than a missing plugin", async () => {
    const { host, directory } = await usePluginHost();
    const root = join(directory, "no-root");
    await rm(root, { recursive: true, force: true });

    expect(await host.executePlugin(invocationOf("/bin/true", { root }))).toEqual({
      kind: "not-started",
      reason: "other",
      errno: "ENOENT",
      message: `chroot ${root}: no such file or directory`,
    });
  });
});
