import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type {
  Attachment,
  CniRuntime,
  ExecutePlugin,
  PluginInvocation,
  PluginOutcome,
  RunLimits,
} from "../../../src/cni/index.ts";
import { makeTemporaryDirectory } from "./temporary-directory.ts";

type Reaction = PluginOutcome | ((invocation: PluginInvocation) => PluginOutcome | Promise<PluginOutcome>);

interface PrintedText {
  readonly stdout?: string;
  readonly stderr?: string;
}

function outputOf({ stdout = "", stderr = "" }: PrintedText) {
  return { stdout, stdoutTruncated: false, stderr, wallMs: 1, maxRssKib: 1 };
}

export function exits(exitCode: number, printed: PrintedText = {}): PluginOutcome {
  return { kind: "exited", exitCode, output: outputOf(printed) };
}

export function answers(value: unknown): PluginOutcome {
  return exits(0, { stdout: typeof value === "string" ? value : JSON.stringify(value) });
}

export function fails(code: number, msg: string, details?: string): PluginOutcome {
  return exits(1, { stdout: JSON.stringify({ cniVersion: "1.1.0", code, msg, details }) });
}

export function timesOut(timeoutMs: number): PluginOutcome {
  return { kind: "timed-out", timeoutMs, output: outputOf({}) };
}

/** What a plugin saw of one run. */
export interface SeenRun {
  readonly type: string;
  readonly command: string;
  readonly stdin: Record<string, unknown>;
  readonly invocation: PluginInvocation;
}

/**
 * Plugins that do what a test says: the port's fake. Their files are real, since they are searched for. A command
 * without a reaction succeeds; ADD answers with an empty result.
 */
export class ScriptedPlugins {
  readonly runs: SeenRun[] = [];
  readonly directory: string;
  readonly #reactions: Readonly<Record<string, Reaction>>;

  private constructor(directory: string, reactions: Readonly<Record<string, Reaction>>) {
    this.directory = directory;
    this.#reactions = reactions;
  }

  /** `reactions` are by `type command`, such as `p1 ADD`; `missing` plugins have no file. */
  static async create(
    reactions: Readonly<Record<string, Reaction>> = {},
    missing: readonly string[] = [],
  ): Promise<ScriptedPlugins> {
    const directory = await makeTemporaryDirectory();
    for (const type of ["p1", "p2", "p3"]) {
      if (!missing.includes(type)) await writeFile(join(directory, type), "");
    }
    return new ScriptedPlugins(directory, reactions);
  }

  /** `type command` of every run, in order. */
  get order(): readonly string[] {
    return this.runs.map(({ type, command }) => `${type} ${command}`);
  }

  stdinOf(run: string): Record<string, unknown> | undefined {
    return this.runs.find(({ type, command }) => `${type} ${command}` === run)?.stdin;
  }

  readonly execute: ExecutePlugin = async (invocation) => {
    const type = invocation.path.slice(invocation.path.lastIndexOf("/") + 1);
    const command = invocation.env["CNI_COMMAND"] ?? "";
    const stdin = JSON.parse(invocation.stdin) as Record<string, unknown>;
    this.runs.push({ type, command, stdin, invocation });
    const reaction = this.#reactions[`${type} ${command}`];
    if (reaction === undefined) return command === "ADD" ? answers("{}") : exits(0);
    return typeof reaction === "function" ? await reaction(invocation) : reaction;
  };

  runtime(more: Partial<CniRuntime> = {}): CniRuntime {
    return { executePlugin: this.execute, baseEnv: {}, ...more };
  }

  attachment(more: Partial<Attachment> = {}): Attachment {
    return {
      containerId: "cid",
      netns: "/run/netns/x",
      ifName: "eth0",
      args: [],
      capabilityArgs: {},
      searchPath: [this.directory],
      ...more,
    };
  }

  /** A configuration with `p1` to `p3`, as text. */
  static listText(
    list: Record<string, unknown> = {},
    plugins: readonly Record<string, unknown>[] = [],
  ): string {
    const all = ["p1", "p2", "p3"].map((type, index) => ({ type, ...plugins[index] }));
    return JSON.stringify({ cniVersion: "1.1.0", name: "net", plugins: all, ...list });
  }
}

export const noLimits: RunLimits = { pluginTimeoutMs: () => 10_000 };
