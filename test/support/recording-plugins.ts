import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileProgram } from "./compile-program.ts";
import { parseCalls, type RecordedCall } from "./recorded-calls.ts";

const source = fileURLToPath(new URL("../fixtures/plugins/recording-plugin.c", import.meta.url));

export type PluginCommand = "ADD" | "DEL" | "CHECK" | "STATUS" | "GC" | "VERSION";

/** Lines of a behaviour file (`test/fixtures/plugins/README.md`); `true` is a line without a value. */
export type Behaviour = Readonly<Record<string, string | number | true>>;

export interface CallFilter {
  readonly command?: PluginCommand;
  readonly containerId?: string;
  readonly network?: string;
  readonly type?: string;
}

/** Something that a plugin handed out and has not taken back. */
export interface Allocation {
  readonly network: string;
  readonly address: string;
  /** `containerID/ifName`. */
  readonly owner: string;
  readonly type: string;
}

/** Plugins of the test's own, installed in a directory; each is the same program under another name. */
export interface RecordingPlugins {
  readonly binDir: string;
  /** Directory of records, behaviours and addresses. */
  readonly ctl: string;
  /** In order of their start; killed ones have no end. */
  calls(filter?: CallFilter): Promise<readonly RecordedCall[]>;
  /** `target` is a plugin type, a network's CNI name, or `<network>.<type>`; holds from the next call on. */
  behave(target: string, command: PluginCommand, behaviour: Behaviour): Promise<void>;
  /** Ends what `behave` began. */
  restore(target: string, command: PluginCommand): Promise<void>;
  /** Lets go on what waits with `gate`. */
  open(gate: string): Promise<void>;
  held(): Promise<readonly Allocation[]>;
}

/** Installs the recording plugin below `directory` as `names`. */
export async function installRecordingPlugins(
  directory: string,
  names: readonly string[],
): Promise<RecordingPlugins> {
  const binDir = join(directory, "bin");
  const ctl = join(directory, "ctl");
  await mkdir(binDir, { recursive: true });
  await mkdir(ctl, { recursive: true });
  const program = await compileProgram(source);
  for (const name of names) await copyFile(program, join(binDir, name));
  await writeFile(join(binDir, ".ctl"), `${ctl}\n`);
  return {
    binDir,
    ctl,
    calls: async (filter = {}) => (await readCalls(ctl)).filter((call) => matches(call, filter)),
    behave: async (target, command, behaviour) =>
      await writeFile(join(ctl, `${target}.${command}`), behaviourText(behaviour)),
    restore: async (target, command) => await rm(join(ctl, `${target}.${command}`), { force: true }),
    open: async (gate) => await writeFile(join(ctl, gate), ""),
    held: async () => await readAllocations(join(ctl, "pool")),
  };
}

function behaviourText(behaviour: Behaviour): string {
  const lines = Object.entries(behaviour).map(([key, value]) => (value === true ? key : `${key}=${value}`));
  return `${lines.join("\n")}\n`;
}

function matches(call: RecordedCall, filter: CallFilter): boolean {
  return (
    (filter.command === undefined || call.command === filter.command) &&
    (filter.containerId === undefined || call.containerId === filter.containerId) &&
    (filter.network === undefined || call.network === filter.network) &&
    (filter.type === undefined || call.type === filter.type)
  );
}

async function readCalls(ctl: string): Promise<readonly RecordedCall[]> {
  const text = await readFile(join(ctl, "calls.jsonl"), "utf8").catch(() => "");
  return parseCalls(text);
}

async function readAllocations(pool: string): Promise<readonly Allocation[]> {
  const found: Allocation[] = [];
  for (const network of await readdir(pool).catch(() => [])) {
    for (const address of await readdir(join(pool, network))) {
      if (address.startsWith(".")) continue;
      // A DEL may take it away between the listing and the reading.
      const text = await readFile(join(pool, network, address), "utf8").catch(() => undefined);
      if (text === undefined) continue;
      const [owner = "", type = ""] = text.split("\n");
      found.push({ network, address, owner, type });
    }
  }
  return found;
}
