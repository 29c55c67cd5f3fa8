import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ExecutePlugin, PluginInvocation, PluginOutcome } from "../../src/cni/index.ts";
import type { Lifeline } from "./lifeline.ts";

/** What a plugin saw of one run. */
export interface SeenRun {
  readonly type: string;
  readonly command: string;
  readonly containerId: string;
  readonly ifName: string;
  readonly netns: string;
  readonly args: string;
  readonly stdin: string;
  readonly timeoutMs: number;
}

export interface PluginFault {
  readonly code: number;
  readonly msg: string;
}

/** A run that waits for the test. */
export interface HeldRuns {
  /** Resolves when the next run has begun. */
  readonly begun: Promise<void>;
  /** Lets all go on that wait and will come. */
  release(): void;
}

/**
 * The plugins of a node, without processes. ADD allocates as it begins, even if it fails or is cut off then, and DEL
 * releases as it succeeds: what is in `allocations` at the end was forgotten.
 */
export class FakePlugins {
  readonly runs: SeenRun[] = [];
  /** `type container/interface` to the CNI_ARGS that it was allocated with. */
  readonly allocations = new Map<string, string>();
  /** Called before each run does anything. */
  onRun: (run: SeenRun) => void = () => {};
  /** The address that the next ADD gets. */
  address: () => string = () => `10.0.0.${++this.#addresses % 250}/24`;
  /** How long a run takes that is neither held nor hanging. */
  pause: () => Promise<void> = async () => {};
  readonly directory: string;
  readonly #faults = new Map<string, PluginFault>();
  readonly #hanging = new Set<string>();
  readonly #holds = new Map<string, { begin: () => void; readonly released: Promise<void> }>();
  #addresses = 0;

  constructor(directory: string) {
    this.directory = directory;
  }

  /** `type command container/interface` of every run, in order of their starts. */
  get order(): readonly string[] {
    return this.runs.map((run) => `${run.type} ${run.command} ${run.containerId}/${run.ifName}`);
  }

  ordered(command: string): readonly string[] {
    return this.runs.filter((run) => run.command === command).map(({ type, ifName }) => `${type} ${ifName}`);
  }

  find(type: string, command: string): SeenRun {
    const found = this.runs.findLast((run) => run.type === type && run.command === command);
    if (found === undefined) throw new Error(`${type} had no ${command}; runs were ${this.order.join(", ")}`);
    return found;
  }

  /** Makes files that can be found on the plugin path. */
  async install(types: readonly string[]): Promise<void> {
    for (const type of types) await writeFile(join(this.directory, type), "");
  }

  fail(type: string, command: string, fault: PluginFault = { code: 42, msg: "out of order" }): void {
    this.#faults.set(`${type} ${command}`, fault);
  }

  mend(type: string, command: string): void {
    this.#faults.delete(`${type} ${command}`);
    this.#hanging.delete(`${type} ${command}`);
  }

  mendAll(): void {
    this.#faults.clear();
    this.#hanging.clear();
  }

  /** Runs until it is ended. */
  hang(type: string, command: string): void {
    this.#hanging.add(`${type} ${command}`);
  }

  hold(type: string, command: string): HeldRuns {
    const key = `${type} ${command}`;
    const begun = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    this.#holds.set(key, { begin: begun.resolve, released: released.promise });
    return {
      begun: begun.promise,
      release: () => {
        this.#holds.delete(key);
        released.resolve();
      },
    };
  }

  /** The port, for a daemon of that life: plugins that run when it ends are ended and answer nobody. */
  executor(life: Lifeline): ExecutePlugin {
    const port = {
      run: (invocation: PluginInvocation, signal?: AbortSignal) => this.#run(life, invocation, signal),
    };
    const tied = life.tie("plugin", port);
    return (invocation, signal) => tied.run(invocation, signal);
  }

  async #run(life: Lifeline, invocation: PluginInvocation, signal?: AbortSignal): Promise<PluginOutcome> {
    if (signal?.aborted === true) return { kind: "cancelled", output: output("") };
    const run = seen(invocation);
    this.runs.push(run);
    this.onRun(run);
    if (run.command === "ADD") this.allocations.set(allocationOf(run), run.args);
    const end = await this.#perform(run, life, invocation.timeoutMs, signal);
    if (end !== undefined) return end;
    const fault = this.#faults.get(`${run.type} ${run.command}`);
    if (fault !== undefined) return exited(1, JSON.stringify({ cniVersion: "1.0.0", ...fault }));
    if (run.command === "DEL") this.allocations.delete(allocationOf(run));
    return exited(0, run.command === "ADD" ? this.#result(run) : "");
  }

  /** What ended the run from outside, if anything did. */
  async #perform(
    run: SeenRun,
    life: Lifeline,
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ): Promise<PluginOutcome | undefined> {
    const key = `${run.type} ${run.command}`;
    const hold = this.#holds.get(key);
    hold?.begin();
    const hangs = this.#hanging.has(key);
    if (hold === undefined && !hangs) {
      await this.pause();
      if (life.isOver || signal?.aborted === true) return { kind: "cancelled", output: output("") };
      return undefined;
    }
    const ended = Promise.withResolvers<PluginOutcome | undefined>();
    const cancel = () => ended.resolve({ kind: "cancelled", output: output("") });
    signal?.addEventListener("abort", cancel, { once: true });
    const timer = setTimeout(() => {
      ended.resolve({ kind: "timed-out", timeoutMs, output: output("") });
    }, timeoutMs);
    if (!hangs) hold?.released.then(() => ended.resolve(undefined));
    life.whenOver().then(cancel);
    try {
      return await ended.promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
    }
  }

  #result(run: SeenRun): string {
    const { cniVersion, prevResult } = JSON.parse(run.stdin) as { cniVersion: string; prevResult?: object };
    if (prevResult !== undefined) return JSON.stringify(prevResult);
    return JSON.stringify({
      cniVersion,
      interfaces: [{ name: run.ifName, mac: "02:00:00:00:00:01", sandbox: run.netns }],
      ips: [{ address: this.address(), interface: 0 }],
    });
  }
}

function seen({ path, env, stdin, timeoutMs }: PluginInvocation): SeenRun {
  return {
    type: path.slice(path.lastIndexOf("/") + 1),
    command: env["CNI_COMMAND"] ?? "",
    containerId: env["CNI_CONTAINERID"] ?? "",
    ifName: env["CNI_IFNAME"] ?? "",
    netns: env["CNI_NETNS"] ?? "",
    args: env["CNI_ARGS"] ?? "",
    stdin,
    timeoutMs,
  };
}

function allocationOf({ type, containerId, ifName }: SeenRun): string {
  return `${type} ${containerId}/${ifName}`;
}

function exited(exitCode: number, stdout: string): PluginOutcome {
  return { kind: "exited", exitCode, output: output(stdout) };
}

function output(stdout: string) {
  return { stdout, stdoutTruncated: false, stderr: "", wallMs: 1, maxRssKib: 1 };
}
