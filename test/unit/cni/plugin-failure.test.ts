import { describe, expect, it } from "vitest";
import {
  AddFailedError,
  addNetworkList,
  type CniError,
  deletePlugins,
  type PluginFailedError,
  type PluginOutcome,
  parseNetworkList,
  pluginFailureOf,
} from "../../../src/cni/index.ts";
import { answers, exits, noLimits, ScriptedPlugins, timesOut } from "./scripted-plugins.ts";

const list = parseNetworkList('{"cniVersion":"1.1.0","name":"net","plugins":[{"type":"p1"}]}');

/** The error of a DEL whose only plugin ended so; DEL, since there nothing is wrapped around it. */
async function failureOf(outcome: PluginOutcome): Promise<CniError | undefined> {
  const plugins = await ScriptedPlugins.create({ "p1 DEL": outcome });
  const report = await deletePlugins(plugins.runtime(), list, plugins.attachment(), { limits: noLimits });
  return report.outcomes[0]?.error;
}

const silent = { stdout: "", stdoutTruncated: false, stderr: "", wallMs: 1, maxRssKib: 1 };

describe("a plugin that fails", () => {
  it("case 25: keeps code, msg and details of its error object", async () => {
    const stdout = '{"cniVersion":"1.0.0","Code":42,"MSG":"no address","details":"pool x","more":1}';
    expect(await failureOf(exits(3, { stdout, stderr: "log" }))).toMatchObject({
      code: 42,
      message: "no address",
      details: "pool x",
      fromPlugin: true,
      kind: "exited",
      plugin: "p1",
      command: "DEL",
      stderr: "log",
    });
  });

  it.each<[PluginOutcome, string, number]>([
    [exits(1), "netplugin failed with no error message: exit status 1", 0],
    [exits(2, { stderr: 'bad "x"\n' }), 'netplugin failed: "bad \\"x\\"\\n": exit status 2', 0],
    [
      { kind: "killed", signal: "SIGKILL", output: silent },
      "netplugin failed with no error message: signal: killed",
      0,
    ],
    [
      { kind: "killed", signal: "SIGSEGV", output: silent },
      "netplugin failed with no error message: signal: segmentation fault",
      0,
    ],
    [{ kind: "cancelled", output: silent }, "netplugin failed with no error message: context canceled", 11],
    [{ kind: "executor-lost", message: "arm died" }, "netplugin failed with no error message: arm died", 11],
    [timesOut(61_400), 'plugin "p1" did not end within 61 s and was killed', 11],
    [timesOut(300), 'plugin "p1" did not end within 300 ms and was killed', 11],
    [
      {
        kind: "not-started",
        reason: "not-executable",
        errno: "EACCES",
        message: "fork/exec /x/p1: permission denied",
      },
      "netplugin failed with no error message: fork/exec /x/p1: permission denied",
      0,
    ],
    [
      {
        kind: "not-started",
        reason: "text-busy",
        errno: "ETXTBSY",
        message: "fork/exec /x/p1: text file busy",
      },
      "netplugin failed with no error message: fork/exec /x/p1: text file busy",
      11,
    ],
  ])("case 26: is described by how it ended (%j)", async (outcome, message, code) => {
    expect(await failureOf(outcome)).toMatchObject({ message, code, fromPlugin: false });
  });

  it.each([
    ["x", "invalid character 'x' looking for beginning of value"],
    ["\n", "unexpected end of JSON input"],
    ['{"code":-1}', "cannot unmarshal number -1 into Go struct field Error.code of type uint"],
    ['{"code":"7"}', "cannot unmarshal string into Go struct field Error.code of type uint"],
    ['{"code":7.5}', "cannot unmarshal number 7.5 into Go struct field Error.code of type uint"],
    ['{"code":1}{"code":2}', "invalid character '{' after top-level value"],
    ["[]", "cannot unmarshal array into Go value of type types.Error"],
  ])("case 27: that prints %j has an error that quotes it and its log", async (stdout, reason) => {
    const error = await failureOf(exits(1, { stdout, stderr: "log line\n" }));
    expect(error?.message).toMatch(/^netplugin failed but error parsing its diagnostic message "/);
    expect(error).toMatchObject({ code: 0, fromPlugin: false, details: 'stderr: "log line"' });
    expect(error?.message).toContain(reason);
  });

  it.each(["{}", "null", '{"code":0}', '{"msg":""}'])(
    "case 28: has a message even if it prints %s (deviation 8)",
    async (stdout) => {
      expect(await failureOf(exits(1, { stdout, stderr: "why" }))).toMatchObject({
        message: 'netplugin failed: "why": exit status 1',
        fromPlugin: false,
      });
    },
  );

  it("keeps the message beside the highest code that Go reads, and no higher one", async () => {
    const withCode = async (code: string) =>
      await failureOf(exits(1, { stdout: `{"code":${code},"msg":"y"}` }));

    expect(await withCode("18446744073709551615")).toMatchObject({ fromPlugin: true, message: "y" });
    expect(await withCode("18446744073709551616")).toMatchObject({ fromPlugin: false });
    expect(await withCode("9".repeat(1_000_000))).toMatchObject({ fromPlugin: false });
  });

  it("keeps a code without a message", async () => {
    expect(await failureOf(exits(1, { stdout: '{"code":11}' }))).toMatchObject({
      code: 11,
      message: "netplugin failed with no error message: exit status 1",
      fromPlugin: true,
    });
  });

  it("has a message of bounded length, whatever it prints", async () => {
    const long = await failureOf(exits(1, { stdout: "x".repeat(1_000_000) }));
    const noisy = await failureOf(exits(1, { stderr: `${"y".repeat(1_000_000)}the end` }));
    expect(long?.message.length).toBeLessThan(5000);
    expect(noisy?.message.length).toBeLessThan(5000);
    expect(noisy?.message).toContain("the end");
    const object = JSON.stringify({ code: 7, msg: "m".repeat(1_000_000), details: "d".repeat(1_000_000) });
    const wordy = await failureOf(exits(1, { stdout: object }));
    expect(wordy).toMatchObject({ code: 7, fromPlugin: true });
    expect((wordy?.message.length ?? 0) + (wordy?.details?.length ?? 0)).toBeLessThan(10_000);
  });

  it("case 29: succeeds at DEL with an error object and exit status 0", async () => {
    expect(await failureOf(answers({ code: 7, msg: "no" }))).toBeUndefined();
  });
});

describe("an answer to ADD", () => {
  async function add(outcome: PluginOutcome) {
    const plugins = await ScriptedPlugins.create({ "p1 ADD": outcome });
    return await addNetworkList(plugins.runtime(), list, plugins.attachment(), noLimits);
  }

  it.each(["{}", "null", ' {"cniVersion":""} ', '{"cniVersion":7}', '{"code":7,"msg":"exit 0"}'])(
    "cases 23, 24 and 29: %j is an empty result of the list's version",
    async (stdout) => {
      expect(await add(answers(stdout))).toMatchObject({ cniVersion: "1.1.0", ips: [], interfaces: [] });
    },
  );

  it.each([
    ["", "failed to unmarshal raw result: unexpected end of JSON input"],
    ["[]", "failed to unmarshal raw result: json: cannot unmarshal array"],
    ["{} x", "failed to unmarshal raw result: invalid character 'x' after top-level value"],
    ['{"cniVersion":"9.9.9"}', 'unsupported CNI result version "9.9.9"'],
    ['{"ips":[{"address":"x"}]}', "invalid CIDR address: x"],
  ])("cases 23 and 24: %j is an error, and the plugin counts as tried", async (stdout, message) => {
    await expect(add(answers(stdout))).rejects.toMatchObject({
      message: expect.stringContaining(`plugin type="p1" failed (add): ${message}`),
      tried: [0],
    });
  });

  it("that was cut off is an error", async () => {
    const output = { ...silent, stdout: '{"a":"', stdoutTruncated: true };
    await expect(add({ kind: "exited", exitCode: 0, output })).rejects.toThrow("result is longer than");
  });

  it("has its failure found under the error of the list", async () => {
    const error: unknown = await add(timesOut(1000)).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(AddFailedError);
    expect(pluginFailureOf(error)).toMatchObject({ kind: "timed-out" } satisfies Partial<PluginFailedError>);
    expect(pluginFailureOf(new Error("other"))).toBeUndefined();
  });
});
