import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { installRecordingPlugins, type RecordingPlugins } from "../../support/recording-plugins.ts";
import { waitFor } from "../../support/wait-for.ts";

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
}

let directory: string;
let plugins: RecordingPlugins;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "mt-rec-"));
  plugins = await installRecordingPlugins(directory, ["alpha", "beta"]);
});

afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

async function call(type: string, command: string, extra: object = {}, version = "1.0.0"): Promise<Outcome> {
  const child = spawn(join(plugins.binDir, type), {
    env: { CNI_COMMAND: command, CNI_CONTAINERID: "c1", CNI_IFNAME: "eth0", CNI_NETNS: "/run/netns/x" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.end(JSON.stringify({ cniVersion: version, name: "net", type, ...extra }));
  let stdout = "";
  for await (const chunk of child.stdout) stdout += String(chunk);
  const code = child.exitCode ?? (await new Promise<number | null>((resolve) => child.once("exit", resolve)));
  return { code, stdout };
}

describe("recording plugin", () => {
  it("holds an address from ADD to DEL and records both calls", async () => {
    const added = await call("alpha", "ADD");
    const held = await plugins.held();
    await call("alpha", "DEL");

    expect(JSON.parse(added.stdout)).toMatchObject({ cniVersion: "1.0.0", interfaces: [{ name: "eth0" }] });
    expect(held).toMatchObject([{ network: "net", owner: "c1/eth0", type: "alpha" }]);
    expect(await plugins.held()).toEqual([]);
    expect((await plugins.calls()).map((one) => [one.command, one.exit])).toEqual([
      ["ADD", 0],
      ["DEL", 0],
    ]);
  });

  it.each(["0.1.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"])("answers in version %s", async (version) => {
    const { stdout } = await call("alpha", "ADD", {}, version);

    const result = JSON.parse(stdout) as Record<string, unknown>;
    expect(result["cniVersion"]).toBe(version);
    expect("ip4" in result).toBe(version === "0.1.0");
  });

  it("passes the previous result on where it is not the first", async () => {
    const prevResult = { cniVersion: "1.0.0", ips: [] };

    const { stdout } = await call("beta", "ADD", { prevResult });

    expect(JSON.parse(stdout)).toEqual(prevResult);
    expect(await plugins.held()).toMatchObject([{ type: "beta" }]);
  });

  it("fails as told, keeps what it holds, and works again after", async () => {
    await call("alpha", "ADD");
    await plugins.behave("net.alpha", "DEL", { code: 42, msg: "told so" });
    const failed = await call("alpha", "DEL");
    const heldAfterFailure = (await plugins.held()).length;
    await plugins.restore("net.alpha", "DEL");

    expect(failed.code).toBe(1);
    expect(JSON.parse(failed.stdout)).toMatchObject({ code: 42, msg: "told so" });
    expect(heldAfterFailure).toBe(1);
    expect((await call("alpha", "DEL")).code).toBe(0);
    expect(await plugins.held()).toEqual([]);
  });

  it("waits at its gate", async () => {
    await plugins.behave("alpha", "ADD", { gate: "go" });
    const added = call("alpha", "ADD");
    const [running] = await waitFor("the call's start", async () => {
      const calls = await plugins.calls();
      return calls.length > 0 && calls;
    });

    expect(running?.endedNs).toBeUndefined();
    await plugins.open("go");
    expect((await added).code).toBe(0);
  });

  it("collects what is not named as valid", async () => {
    await call("alpha", "ADD");
    const valid = { "cni.dev/valid-attachments": [{ containerID: "c1", ifname: "eth0" }] };

    await call("alpha", "GC", valid);
    expect(await plugins.held()).toHaveLength(1);
    await call("alpha", "GC", { "cni.dev/valid-attachments": [] });
    expect(await plugins.held()).toEqual([]);
  });

  it("answers VERSION without a configuration", async () => {
    const { stdout } = await call("alpha", "VERSION");

    expect(JSON.parse(stdout)).toMatchObject({
      supportedVersions: expect.arrayContaining(["0.3.1", "1.1.0"]),
    });
  });
});
