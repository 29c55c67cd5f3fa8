/** What cnitool and multusctl cni have in common. */
export type Verb = "add" | "check" | "del" | "gc" | "status";

/** The only paths that both sides see: each has its own directory mounted there. */
export const world = "/var/lib/cni";

/** One thing that is tried on both sides. Plain data, so that it can be printed and run again. */
export interface Scenario {
  readonly index: number;
  /** Of what kind it is, for people. */
  readonly title: string;
  /** Text by path below `world`; a path that ends in a slash is an empty directory. */
  readonly files: Readonly<Record<string, string>>;
  /** Plugins by name in `world`/bin. */
  readonly plugins: Readonly<Record<string, PluginFile>>;
  /** Besides NETCONFPATH and CNI_PATH, which it may replace. */
  readonly env: Readonly<Record<string, string>>;
  readonly network: string;
  readonly netns: string;
  readonly steps: readonly Step[];
  /** Groups of files without which cnitool may do what we do with them, where it cannot read one (deviation 15). */
  readonly stumblingBlocks: readonly (readonly string[])[];
}

export interface Step {
  /** What happens to the node before. */
  readonly before: readonly Change[];
  readonly verb: Verb;
}

/** What stands where a plugin is looked for. */
export type PluginFile =
  | "recording"
  /** Nothing. */
  | "missing"
  /** The plugin without execute permission. */
  | "not-executable"
  /** A directory of that name. */
  | "directory"
  /** The plugin, but somebody is writing to it. */
  | "busy"
  /** A link that leads nowhere. */
  | "dangling"
  /** Executable, but neither a program nor a script with an interpreter. */
  | "no-format"
  /** A script whose interpreter is not there. */
  | "no-interpreter";

export type Change =
  /** Lines of a behaviour file of the recording plugin; none: as usual again. */
  | {
      readonly kind: "behave";
      readonly target: string;
      readonly command: string;
      readonly lines: readonly string[];
    }
  | { readonly kind: "write"; readonly path: string; readonly text: string }
  | { readonly kind: "remove"; readonly path: string }
  | { readonly kind: "plugin"; readonly name: string; readonly file: PluginFile }
  /** Of the file in which the result of this scenario's attachment is cached; see `damages`. */
  | { readonly kind: "damage"; readonly damage: string };
