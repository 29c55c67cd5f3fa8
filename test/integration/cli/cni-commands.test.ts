import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { runMultusctl } from "../../../src/cli/multusctl.ts";
import { dist } from "../../support/dist.ts";
import { hostBinary, hostBuildMs } from "../../support/host-binary.ts";
import { isRunning } from "../../support/process-states.ts";
import { installRecordingPlugins } from "../../support/recording-plugins.ts";
import { startProgram } from "../../support/run-program.ts";
import { waitFor } from "../../support/wait-for.ts";

const netns = "/run/netns/mt-no-such-namespace";
/** What upstream's cnitool makes of `netns`. */
const containerId = "cnitool-e1e5dccdfac554684c37";

beforeAll(async () => void (await hostBinary()), hostBuildMs);

/** A network `net` of the plugins `alpha` and `beta`, and a cache of the test's own. */
async function useNetwork(cniVersion = "1.1.0") {
  const directory = await mkdtemp(join(tmpdir(), "mt-ctl-cni-"));
  onTestFinished(async () => await rm(directory, { recursive: true, force: true }));
  const plugins = await installRecordingPlugins(directory, ["alpha", "beta"]);
  const list = { cniVersion, name: "net", plugins: [{ type: "alpha" }, { type: "beta" }] };
  await mkdir(join(directory, "net.d"));
  await writeFile(join(directory, "net.d", "net.conflist"), JSON.stringify(list));
  const cache = join(directory, "cache");
  const env = {
    NETCONFPATH: join(directory, "net.d"),
    CNI_PATH: plugins.binDir,
    MULTUS_HOST_BINARY: await hostBinary(),
    TMPDIR: directory,
  };
  const cni = async (verb: string, ...rest: string[]) =>
    await multusctl(env, "cni", verb, "net", netns, "--cache-dir", cache, ...rest);
  const cached = async () => await readdir(join(cache, "results")).catch(() => []);
  return { directory, plugins, env, cni, cache, cached };
}

async function multusctl(env: NodeJS.ProcessEnv, ...argv: string[]) {
  let [out, error] = ["", ""];
  const status = await runMultusctl(argv, {
    writeOut: (text) => {
      out += text;
    },
    writeError: (text) => {
      error += text;
    },
    env,
    version: "1.2.3",
  });
  return { status, out, error };
}

describe("multusctl cni", () => {
  it("adds, checks and deletes without a daemon, as cnitool would", async () => {
    const { cni, plugins, cached } = await useNetwork();

    const added = await cni("add");
    expect(added).toMatchObject({ status: 0, error: "" });
    expect(JSON.parse(added.out)).toMatchObject({ cniVersion: "1.1.0" });
    expect(added.out).toMatch(/^\{\n {4}"cniVersion"[\s\S]*\}$/);
    expect(await cached()).toEqual([`net-${containerId}-eth0`]);

    expect(await cni("check")).toEqual({ status: 0, out: "", error: "" });
    expect(await cni("del")).toEqual({ status: 0, out: "", error: "" });
    expect(await cached()).toEqual([]);
    expect(await plugins.held()).toEqual([]);
    const calls = await plugins.calls();
    expect(calls.map(({ type, command }) => `${command} ${type}`)).toEqual([
      ...["ADD alpha", "ADD beta", "CHECK alpha", "CHECK beta", "DEL beta", "DEL alpha"],
    ]);
    expect(calls[0]).toMatchObject({ containerId, netns, ifName: "eth0" });
  });

  it("takes the interface from -i, then from CNI_IFNAME", async () => {
    const { env, plugins, cache } = await useNetwork();
    const add = async (...rest: string[]) =>
      await multusctl(
        { ...env, CNI_IFNAME: "var0" },
        "cni",
        "add",
        "net",
        netns,
        "--cache-dir",
        cache,
        ...rest,
      );

    await add();
    await add("-i", "flag0");

    const calls = await plugins.calls({ type: "alpha" });
    expect(calls.map(({ ifName }) => ifName)).toEqual(["var0", "flag0"]);
  });

  it("deletes with gc whatever is cached of the network", async () => {
    const { cni, plugins, cached } = await useNetwork();
    await cni("add");
    await cni("add", "-i", "net7");

    expect(await cni("gc")).toEqual({ status: 0, out: "", error: "" });

    expect(await plugins.held()).toEqual([]);
    expect(await cached()).toEqual([]);
  });

  it("is 1 and says what a plugin said, on a failure of any verb", async () => {
    const { cni, plugins } = await useNetwork();
    for (const command of ["ADD", "DEL", "CHECK", "STATUS", "GC"] as const) {
      await plugins.behave("beta", command, {
        code: 42,
        msg: "no route to the switch",
        stderr: "port 7 is dark",
      });
    }

    for (const verb of ["add", "del", "check", "status", "gc"]) {
      const { status, out, error } = await cni(verb);

      expect([verb, status, out]).toEqual([verb, 1, ""]);
      expect(error).toContain("port 7 is dark\n");
      expect(error).toMatch(/^multusctl: .*no route to the switch$/m);
      expect(error).not.toContain("bug");
    }
  });

  it("says after a failed add that nothing was undone", async () => {
    const { cni, plugins } = await useNetwork();
    await plugins.behave("beta", "ADD", { code: 42 });

    expect((await cni("add")).error).toContain(`"multusctl cni del net ${netns}"`);
    expect(await plugins.held()).toHaveLength(2);
  });

  it("tells the versions of each plugin, and is 1 where one lacks the list's", async () => {
    const { cni, plugins } = await useNetwork("1.0.0");
    const good = await cni("version");
    await plugins.behave("beta", "VERSION", { version: "0.3.1,0.4.0" });
    const bad = await cni("version");

    expect(good).toMatchObject({ status: 0, error: "" });
    expect(good.out).toMatch(/^PLUGIN +HAS 1\.0\.0 +VERSIONS\nalpha +yes +0\.1\.0 .*1\.1\.0\nbeta +yes/);
    expect(bad.status).toBe(1);
    expect(bad.out).toMatch(/^beta +no +0\.3\.1 0\.4\.0$/m);
  });

  it("says how to name multus-host where there is none", async () => {
    const { env } = await useNetwork();

    const { status, error } = await multusctl(
      { ...env, MULTUS_HOST_BINARY: "/nowhere/x" },
      "cni",
      "add",
      "net",
      netns,
    );

    expect(status).toBe(1);
    expect(error).toMatch(/^multusctl: .*\/nowhere\/x.*MULTUS_HOST_BINARY.*\n$/);
  });

  it("is 1 for a network that no file has, and for variables that mean nothing", async () => {
    const { env } = await useNetwork();
    const unknown = await multusctl(env, "cni", "add", "nett", netns);
    const capabilities = await multusctl({ ...env, CAP_ARGS: "[" }, "cni", "add", "net", netns);
    const args = await multusctl({ ...env, CNI_ARGS: "A" }, "cni", "add", "net", netns);

    expect([unknown.status, capabilities.status, args.status]).toEqual([1, 1, 1]);
    expect(unknown.error).toContain('"nett"');
    expect(capabilities.error).toContain("CAP_ARGS");
    expect(args.error).toContain("CNI_ARGS");
  });

  it("is 2 where something is missing on the command line", async () => {
    expect(await multusctl({}, "cni", "add", "net")).toMatchObject({ status: 2, out: "" });
    expect(await multusctl({}, "cni", "levitate", "net", netns)).toMatchObject({ status: 2, out: "" });
  });

  it("ends the plugin that runs, says so, and leaves no file when it is interrupted", async () => {
    const { env, plugins, directory, cache } = await useNetwork();
    await plugins.behave("alpha", "ADD", { hang: true });
    const args = ["cni", "add", "net", netns, "--cache-dir", cache];
    const running = startProgram({ program: dist.control, args, env: { PATH: "/usr/bin:/bin", ...env } });
    await waitFor("a plugin that hangs", async () =>
      (await plugins.calls()).some(({ grandchild }) => grandchild !== undefined),
    );
    const [{ pid = 0, grandchild = 0 } = {}] = await plugins.calls();

    running.kill("SIGINT");
    const { code, stdout, stderr } = await running.ended;

    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("context canceled");
    expect([await isRunning(pid), await isRunning(grandchild)]).toEqual([false, false]);
    expect((await readdir(directory)).filter((name) => name.startsWith("multusctl-"))).toEqual([]);
  });

  it("hands plugins the caller's whole environment, as cnitool does", async () => {
    const { env, plugins, cache } = await useNetwork();

    await multusctl(
      { ...env, CNI_NETNS_OVERRIDE: "1", COLOUR: "red" },
      "cni",
      "add",
      "net",
      netns,
      "--cache-dir",
      cache,
    );

    const [call] = await plugins.calls();
    expect(call?.env).toMatchObject({ CNI_NETNS_OVERRIDE: "1", COLOUR: "red", CNI_COMMAND: "ADD" });
    expect(
      JSON.parse(await readFile(join(cache, "results", `net-${containerId}-eth0`), "utf8")),
    ).toMatchObject({
      kind: "cniCacheV1",
      networkName: "net",
      netns,
    });
  });
});
