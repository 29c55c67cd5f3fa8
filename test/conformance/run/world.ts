import {
  chmod,
  copyFile,
  type FileHandle,
  mkdir,
  open,
  readFile,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { cacheFileOf, containerIdOf, ifNameOf } from "../attachment-name.ts";
import { type Damaged, damages } from "../damages.ts";
import { type Change, type PluginFile, type Scenario, world as worldPath } from "../scenario.ts";

/** The node as one side finds it: what is in `directory` is what that side sees in `world`. */
export interface World {
  readonly directory: string;
  readonly scenario: Scenario;
  /** The recording plugin, compiled. */
  readonly program: string;
  /** Files of the scenario that are not there, until it writes them anew if not even then. */
  readonly hidden: { readonly files: readonly string[]; readonly for: "the beginning" | "ever" };
  /** Those who keep plugins busy; whoever made the world closes them. */
  readonly writers: FileHandle[];
}

/** Lays out everything that the scenario says. */
export async function layOut(world: World): Promise<void> {
  const { directory, scenario, hidden } = world;
  for (const folder of ["net.d", "bin", "other", "ctl"])
    await mkdir(join(directory, folder), { recursive: true });
  for (const folder of ["bin", "other"])
    await writeFile(join(directory, folder, ".ctl"), `${worldPath}/ctl\n`);
  for (const [path, text] of Object.entries(scenario.files)) {
    if (!hidden.files.includes(path)) await put(join(directory, path), text);
  }
  for (const [name, file] of Object.entries(scenario.plugins)) await putPlugin(world, name, file);
}

export async function applyChange(world: World, change: Change): Promise<void> {
  const { directory, scenario, hidden } = world;
  switch (change.kind) {
    case "behave":
      return await behave(join(directory, "ctl", `${change.target}.${change.command}`), change.lines);
    case "write":
      if (hidden.for === "ever" && hidden.files.includes(change.path)) return;
      return await put(join(directory, change.path), change.text);
    case "remove":
      return await rm(join(directory, change.path), { recursive: true, force: true });
    case "plugin":
      return await putPlugin(world, change.name, change.file);
    case "damage":
      return await damage(directory, scenario, change.damage);
  }
}

async function put(file: string, text: string): Promise<void> {
  if (file.endsWith("/")) {
    await mkdir(file, { recursive: true });
    return;
  }
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, text, { mode: 0o600 });
}

async function behave(file: string, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) await rm(file, { force: true });
  else await writeFile(file, lines.map((line) => `${line}\n`).join(""));
}

async function putPlugin(
  { directory, program, writers }: World,
  name: string,
  kind: PluginFile,
): Promise<void> {
  const file = join(directory, name);
  await rm(file, { recursive: true, force: true });
  switch (kind) {
    case "missing":
      return;
    case "recording":
      return await symlink(program, file);
    case "busy":
      await copyFile(program, file);
      await chmod(file, 0o755);
      writers.push(await open(file, "r+"));
      return;
    case "dangling":
      return await symlink("/nowhere/plugin", file);
    case "directory":
      await mkdir(file);
      return;
    case "not-executable":
      await copyFile(program, file);
      return await chmod(file, 0o644);
    case "no-format":
      return await writeFile(file, "echo '{}'\n", { mode: 0o755 });
    case "no-interpreter":
      return await writeFile(file, "#!/nowhere/interpreter\n", { mode: 0o755 });
  }
}

/** Nothing happens where nobody could have made such a file, or where `results` is none of ours. */
async function damage(directory: string, scenario: Scenario, name: string): Promise<void> {
  const file = join(directory, cacheFileOf(scenario));
  const make = damages[name];
  if (make === undefined) throw new Error(`no damage is called "${name}"`);
  const text = await readFile(file, "utf8").catch(() => undefined);
  const facts = {
    network: scenario.network,
    containerId: containerIdOf(scenario.netns),
    ifName: ifNameOf(scenario),
  };
  const isPossible = dirname(file) === join(directory, "results") && scenario.files["results"] === undefined;
  if (isPossible && Buffer.byteLength(file) - Buffer.byteLength(directory) < 250) {
    await rm(file, { recursive: true, force: true });
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await putDamaged(file, make({ ...facts, text }));
  }
}

async function putDamaged(file: string, damaged: Damaged): Promise<void> {
  switch (damaged.kind) {
    case "absent":
      return;
    case "directory":
      await mkdir(file);
      return;
    case "unreadable":
      return await writeFile(file, "{}", { mode: 0o000 });
    case "text":
      return await writeFile(file, damaged.text, { mode: 0o600 });
  }
}
