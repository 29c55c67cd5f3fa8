import { chmod, mkdir, open, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import {
  addNetworkList,
  deleteNetworkList,
  pluginFailureOf,
  pluginVersions,
} from "../../../src/cni/index.ts";
import { isRunning } from "../../support/process-states.ts";
import { waitFor } from "../../support/wait-for.ts";
import { type CaseRig, failureOf, listOf, listOfOne, noLimits, shareHost } from "./case-rig.ts";

const useRig = shareHost();

async function addWith(rig: CaseRig, stdout: string, cniVersion = "1.1.0") {
  await rig.script("p1", `printf '%s' '${stdout}'`);
  const list = listOf({ cniVersion, plugins: [{ type: "p1" }] });
  return await addNetworkList(rig.runtime(), list, rig.attachment(), noLimits);
}

async function delWith(rig: CaseRig, body: string) {
  await rig.script("p1", body);
  return await deleteNetworkList(rig.runtime(), listOfOne(), rig.attachment(), noLimits);
}

describe("the answer of a process that exits with status 0", () => {
  it.each(["{}", "null", " {}\n"])("case 23: %j is an empty result of the list's version", async (stdout) => {
    const rig = await useRig();
    expect(await addWith(rig, stdout)).toMatchObject({ cniVersion: "1.1.0", ips: [], interfaces: [] });
  });

  it.each(["", "[]", "{} x"])("case 23: %j is an error", async (stdout) => {
    const rig = await useRig();
    await expect(addWith(rig, stdout)).rejects.toThrow("failed to unmarshal raw result: ");
  });

  it.each(["{}", '{"cniVersion":""}', '{"cniVersion":7}'])(
    "case 24: the version of %j is the list's",
    async (stdout) => {
      const rig = await useRig();
      expect(await addWith(rig, stdout, "0.4.0")).toMatchObject({ cniVersion: "0.4.0" });
    },
  );

  it("case 24: a known version is kept until the result is converted, an unknown one is an error", async () => {
    const rig = await useRig();
    // An interface of 0.3.1 has no mtu: had it been taken for one of 1.1.0, it would still be there.
    const old = '{"cniVersion":"0.3.1","interfaces":[{"name":"eth0","mtu":9000}]}';
    const result = await addWith(rig, old);
    expect(result).toMatchObject({ cniVersion: "1.1.0", interfaces: [{ name: "eth0" }] });
    expect(result.interfaces[0]).not.toHaveProperty("mtu");
    await expect(addWith(rig, '{"cniVersion":"9.9.9"}')).rejects.toThrow(
      'unsupported CNI result version "9.9.9"',
    );
  });

  it("case 29: an error object is a success of DEL and an empty result of ADD", async () => {
    const rig = await useRig();
    const stdout = '{"cniVersion":"1.1.0","code":7,"msg":"no"}';
    expect(await delWith(rig, `printf '%s' '${stdout}'`)).toEqual({});
    expect(await addWith(rig, stdout)).toMatchObject({ cniVersion: "1.1.0", ips: [], routes: [] });
  });

  it("case 30: what it logged goes to whoever watches, and with a failure into the error", async () => {
    const rig = await useRig();
    await delWith(rig, "echo working >&2");
    expect(rig.runs[0]?.outcome).toMatchObject({ kind: "exited", output: { stderr: "working\n" } });
    const error = await failureOf(delWith(rig, `echo broken >&2; echo '{"code":7,"msg":"m"}'; exit 1`));
    expect(rig.runs[1]?.outcome).toMatchObject({ exitCode: 1, output: { stderr: "broken\n" } });
    expect(pluginFailureOf(error)).toMatchObject({ message: "m", stderr: "broken\n" });
  });

  it("case 31: it need not have read its 5 MiB of stdin", async () => {
    const rig = await useRig();
    await rig.script("p1", `exec printf '{"ips":[{"address":"10.0.0.1/8"}]}'`);
    const list = listOfOne({ padding: "x".repeat(5 * 1024 * 1024) });
    const result = await addNetworkList(rig.runtime(), list, rig.attachment(), noLimits);
    expect(result.ips).toEqual([{ address: "10.0.0.1/8" }]);
  });
});

describe("a process that fails", () => {
  it("case 25: its error object keeps code, msg and details", async () => {
    const rig = await useRig();
    await rig.plugins.behave("p1", "DEL", { exit: 3, code: 142, msg: "no address", details: "pool x" });
    const deleting = deleteNetworkList(rig.runtime(), listOfOne(), rig.attachment(), noLimits);
    const error = await failureOf(deleting);
    expect(error).toMatchObject({
      message: 'plugin type="p1" failed (delete): no address',
      code: 142,
      details: "pool x",
    });
    expect(pluginFailureOf(error)).toMatchObject({ code: 142, message: "no address", fromPlugin: true });
  });

  it.each([
    ["exit 1", "netplugin failed with no error message: exit status 1"],
    ["echo sad >&2; exit 2", 'netplugin failed: "sad\\n": exit status 2'],
    ["kill -KILL $$", "netplugin failed with no error message: signal: killed"],
    ["kill -SEGV $$", "netplugin failed with no error message: signal: segmentation fault"],
  ])("case 26: by `%s` is described by how it ended", async (body, message) => {
    const rig = await useRig();
    const error = await failureOf(delWith(rig, body));
    expect(pluginFailureOf(error)).toMatchObject({ message, code: 0, fromPlugin: false });
  });

  it.each(["x", "\\n", '{"code":-1}', '{"code":"7"}', '{"code":7.5}', '{"code":1}{"code":2}'])(
    "case 27: and prints %s has an error that quotes it",
    async (printed) => {
      const rig = await useRig();
      const error = await failureOf(delWith(rig, `printf '${printed}'; exit 1`));
      const quoted = printed.replaceAll('"', '\\"');
      expect(pluginFailureOf(error)?.message).toContain(
        `netplugin failed but error parsing its diagnostic message "${quoted}": `,
      );
    },
  );

  it.each(["{}", "null", '{"code":0}'])(
    "case 28: and prints %s has a message all the same",
    async (printed) => {
      const rig = await useRig();
      const error = await failureOf(delWith(rig, `printf '%s' '${printed}'; echo why >&2; exit 4`));
      expect(pluginFailureOf(error)?.message).toBe('netplugin failed: "why\\n": exit status 4');
    },
  );
});

describe("a binary", () => {
  it("case 32: that is not executable is a permission error, though root could read it", async () => {
    const rig = await useRig();
    await chmod(join(rig.plugins.binDir, "p1"), 0o644);
    const error = await failureOf(deleteNetworkList(rig.runtime(), listOfOne(), rig.attachment(), noLimits));
    expect(pluginFailureOf(error)?.message).toMatch(/fork\/exec \S+\/p1: permission denied$/);
  });

  it("case 32: without a known format is not handed to a shell", async () => {
    const rig = await useRig();
    const trace = join(rig.directory, "trace");
    await writeFile(join(rig.plugins.binDir, "p1"), `echo ran > ${trace}\n`, { mode: 0o755 });
    const error = await failureOf(deleteNetworkList(rig.runtime(), listOfOne(), rig.attachment(), noLimits));
    expect(pluginFailureOf(error)?.message).toMatch(/fork\/exec \S+\/p1: exec format error$/);
    await expect(open(trace)).rejects.toThrow("ENOENT");
  });

  it("case 32: whose interpreter is missing is named by its path", async () => {
    const rig = await useRig();
    await writeFile(join(rig.plugins.binDir, "p1"), "#!/no/such/interpreter\n", { mode: 0o755 });
    const error = await failureOf(deleteNetworkList(rig.runtime(), listOfOne(), rig.attachment(), noLimits));
    expect(pluginFailureOf(error)).toMatchObject({
      kind: "not-started",
      message: expect.stringContaining(`${rig.plugins.binDir}/p1: `),
    });
  });

  it.each([
    ["", "no plugin name provided"],
    ["a/b", "invalid plugin name: a/b"],
    ["..", 'failed to find plugin ".." in path ['],
    ["directory", 'failed to find plugin "directory" in path ['],
  ])("case 33: called %j is not found", async (type, message) => {
    const rig = await useRig();
    await mkdir(join(rig.plugins.binDir, "directory"));
    const asking = pluginVersions(rig.runtime(), type, { searchPath: [rig.plugins.binDir] }, noLimits);
    await expect(asking).rejects.toThrow(message);
  });

  it("case 33: is the first regular file, be it executable or not, or a link to one", async () => {
    const rig = await useRig();
    const first = join(rig.directory, "first");
    await mkdir(join(first, "p2"), { recursive: true });
    await writeFile(join(first, "p1"), "", { mode: 0o644 });
    await symlink(join(rig.plugins.binDir, "p1"), join(first, "p3"));
    const search = { searchPath: [first, rig.plugins.binDir] };
    await expect(pluginVersions(rig.runtime(), "p1", search, noLimits)).rejects.toThrow("permission denied");
    await pluginVersions(rig.runtime(), "p2", search, noLimits);
    expect((await rig.call("p2 VERSION")).path).toBe(join(rig.plugins.binDir, "p2"));
    await rm(join(rig.plugins.binDir, "p3"));
    expect(await pluginVersions(rig.runtime(), "p3", search, noLimits)).toContain("1.1.0");
  });

  it("case 34: that is being written is tried again, and its own answer is the result", async () => {
    const rig = await useRig();
    const writer = await open(join(rig.plugins.binDir, "p1"), "r+");
    await rig.plugins.behave("p1", "ADD", { stdout: '{"ips":[{"address":"10.0.0.1/8"}]}' });
    const adding = addNetworkList(rig.runtime(), listOfOne(), rig.attachment(), noLimits);
    // Long enough for a first attempt to fail; there is nothing to see of it from here.
    await pause(200);
    await writer.close();
    expect((await adding).ips).toEqual([{ address: "10.0.0.1/8" }]);
    expect(await rig.order()).toEqual(["p1 ADD"]);
  });

  it("case 34: that stays busy is an error, never a success", async () => {
    const rig = await useRig();
    await using _writer = await open(join(rig.plugins.binDir, "p1"), "r+");
    const error = await failureOf(deleteNetworkList(rig.runtime(), listOfOne(), rig.attachment(), noLimits));
    expect(pluginFailureOf(error)).toMatchObject({
      code: 11,
      kind: "not-started",
      message: expect.stringMatching(/text file busy$/),
    });
    expect(await rig.order()).toEqual([]);
  });
});

describe("time and cancellation", () => {
  it("case 35: a plugin that is out of time is ended with its whole group, whoever holds its pipes", async () => {
    const rig = await useRig();
    await rig.plugins.behave("p2", "DEL", { hang: true });
    const limits = { pluginTimeoutMs: () => 300 };
    const started = performance.now();
    const error = await failureOf(deleteNetworkList(rig.runtime(), listOf(), rig.attachment(), limits));
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(error).toMatchObject({
      message: 'plugin type="p2" failed (delete): plugin "p2" did not end within 300 ms and was killed',
      code: 11,
    });
    const { pid, grandchild } = await rig.call("p2 DEL");
    expect(grandchild).toBeGreaterThan(0);
    for (const one of [pid, grandchild ?? 0]) {
      await waitFor(`the end of ${one}`, async () => !(await isRunning(one)));
    }
    expect(await rig.order()).toEqual(["p3 DEL", "p2 DEL"]);
  });

  it("case 35: a plugin that its caller gives up is ended too, and no other is started", async () => {
    const rig = await useRig();
    await rig.plugins.behave("p1", "ADD", { hang: true });
    const caller = new AbortController();
    const adding = failureOf(
      addNetworkList(rig.runtime(), listOf(), rig.attachment(), { ...noLimits, signal: caller.signal }),
    );
    const { grandchild } = await waitFor("a grandchild", async () => {
      const [call] = await rig.plugins.calls();
      return call?.grandchild === undefined ? undefined : call;
    });
    caller.abort();
    expect(await adding).toMatchObject({ code: 11, tried: [0] });
    await waitFor("its end", async () => !(await isRunning(grandchild ?? 0)));
    expect(await rig.order()).toEqual(["p1 ADD"]);
  });

  it("case 36: nothing is started for a caller that has gone", async () => {
    const rig = await useRig();
    const limits = { ...noLimits, signal: AbortSignal.abort() };
    const error = await failureOf(addNetworkList(rig.runtime(), listOf(), rig.attachment(), limits));
    expect(error).toMatchObject({ code: 11, tried: [] });
    expect(await rig.order()).toEqual([]);
  });
});

describe("VERSION", () => {
  const ask = async (rig: CaseRig, type = "p1") =>
    await pluginVersions(rig.runtime(), type, { searchPath: [rig.plugins.binDir] }, noLimits);

  it("case 37: gets its exact stdin and the dummies that the oldest skeletons want", async () => {
    const rig = await useRig();
    await rig.plugins.behave("p1", "VERSION", { version: "0.4.0,1.0.0" });
    expect(await ask(rig)).toEqual(["0.4.0", "1.0.0"]);
    const { stdin, env } = await rig.call("p1 VERSION");
    expect(stdin).toBe('{"cniVersion":"1.1.0"}');
    expect(env).toMatchObject({
      CNI_COMMAND: "VERSION",
      CNI_CONTAINERID: "",
      CNI_NETNS: "dummy",
      CNI_IFNAME: "dummy",
      CNI_ARGS: "",
      CNI_PATH: "dummy",
    });
  });

  it.each([
    [{ stdout: '{"cniVersion":"0.2.0"}' }, ["0.1.0", "0.2.0"]],
    [{ code: 4, msg: "unknown CNI_COMMAND: VERSION" }, ["0.1.0"]],
  ])("case 37: by the answer %j is %j", async (behaviour, versions) => {
    const rig = await useRig();
    await rig.plugins.behave("p1", "VERSION", behaviour);
    expect(await ask(rig)).toEqual(versions);
  });

  it.each([
    [{ stdout: '{"supportedVersions":["1.0.0"]}' }, "decoding version info: missing field cniVersion"],
    [{ stdout: '{"cniVersion":"1.0.0"}' }, "decoding version info: missing field supportedVersions"],
    [{ code: 4, msg: "unknown CNI_COMMAND: VERSION", details: "d" }, "unknown CNI_COMMAND: VERSION"],
    [{ exit: 1, bare: true as const, stderr: "unknown CNI_COMMAND: VERSION" }, "netplugin failed: "],
  ])("case 37: fails by the answer %j", async (behaviour, message) => {
    const rig = await useRig();
    await rig.plugins.behave("p1", "VERSION", behaviour);
    await expect(ask(rig)).rejects.toThrow(message);
  });
});
