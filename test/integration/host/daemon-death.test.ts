import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startPluginHost } from "../../../src/host/plugin-host.ts";
import { hostBinary, hostBuildMs } from "../../support/host-binary.ts";
import { isRunning, writtenPid } from "../../support/process-states.ts";
import { childrenOf } from "../../support/processes.ts";
import { RecordingLog } from "../../support/recording-log.ts";
import { writeScript } from "../../support/scripted-plugin.ts";
import { useDirectory } from "../../support/use-plugin-host.ts";
import { waitFor } from "../../support/wait-for.ts";

beforeAll(async () => void (await hostBinary()), hostBuildMs);

interface Family {
  readonly daemon: ChildProcess;
  readonly host: number;
  readonly leader: number;
  readonly grandchild: number;
  readonly runsDirectory: string;
}

/** A daemon in a process of its own that runs a plugin with a grandchild. */
async function useFamily(): Promise<Family> {
  const directory = await useDirectory();
  const runsDirectory = join(directory, "runs");
  const body = `echo $$ > ${directory}/leader; sleep 1000 & echo $! > ${directory}/grandchild; wait`;
  const plugin = await writeScript(directory, "family", body);
  const program = fileURLToPath(new URL("daemon-program.ts", import.meta.url));
  const daemon = spawn(process.execPath, [program, await hostBinary(), runsDirectory, plugin], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  onTestFinished(() => void daemon.kill("SIGKILL"));
  const leader = await writtenPid(join(directory, "leader"));
  const grandchild = await writtenPid(join(directory, "grandchild"));
  const [host] = await childrenOf(daemon.pid ?? 0);
  if (host === undefined) throw new Error("the daemon has no child");
  return { daemon, host, leader, grandchild, runsDirectory };
}

describe("a daemon that dies by SIGKILL", () => {
  it("takes its plugins with it, grandchildren too, within a second", async () => {
    const { daemon, host, leader, grandchild } = await useFamily();
    const ended = once(daemon, "exit");
    daemon.kill("SIGKILL");
    await ended;

    const areGone = async () => {
      const running = await Promise.all([host, leader, grandchild].map(isRunning));
      return running.every((one) => !one);
    };
    await waitFor("all to be gone", areGone, 1_000);
  });

  it("together with multus-host leaves what the next daemon ends before it runs anything", async () => {
    const { daemon, host, leader, grandchild, runsDirectory } = await useFamily();
    const ended = once(daemon, "exit");
    // In this order neither of the two has time to end anything.
    process.kill(host, "SIGSTOP");
    daemon.kill("SIGKILL");
    process.kill(host, "SIGKILL");
    await ended;
    expect(await isRunning(grandchild)).toBe(true);

    const log = new RecordingLog();
    const next = await startPluginHost({ binary: await hostBinary(), runsDirectory, bootId: "boot-1", log });
    onTestFinished(async () => await next.stop());

    expect(await Promise.all([leader, grandchild].map(isRunning))).toEqual([false, false]);
    expect(next.endedAtStart).toEqual([{ owner: "container-1", group: leader }]);
  });
});
