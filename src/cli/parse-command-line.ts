import { parseArgs } from "node:util";
import { nearestName } from "../foundation/nearest-name.ts";
import { type Command, type CommandInput, type CommandOption, commandOptions } from "./command.ts";
import { commands } from "./commands.ts";
import { defaultSocketFile, synopsis } from "./multusctl-help.ts";
import { type OutputForm, outputForms } from "./output.ts";
import { UsageError } from "./usage-error.ts";

/** What a command line asks for. */
export type Request =
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | {
      readonly kind: "run";
      readonly command: Command;
      readonly input: Pick<CommandInput, "parameters" | "options" | "socketFile">;
      readonly form: OutputForm;
    };

/**
 * Reads multusctl's arguments, without the program's own name.
 * @throws {UsageError} that says what is wrong and what there is
 */
export function parseCommandLine(argv: readonly string[]): Request {
  const { values, positionals } = readArguments(argv);
  const { help, version, socket = defaultSocketFile, output = "table", all, ...others } = values;
  const given = all === true ? { ...others, all: "yes" } : others;
  if (help === true) return { kind: "help" };
  if (version === true) return { kind: "version" };
  const { command, parameters } = findCommand(positionals, given);
  const options = checkOptions(command, given);
  const form = outputForms.find((known) => known === output);
  if (form === undefined) throw new UsageError(`"${output}" is no output form: ${outputForms.join(", ")}`);
  if (socket === "") throw new UsageError("--socket needs a file");
  return { kind: "run", command, input: { parameters, options, socketFile: socket }, form };
}

function readArguments(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        socket: { type: "string" },
        output: { type: "string", short: "o" },
        help: { type: "boolean", short: "h" },
        version: { type: "boolean" },
        pod: { type: "string" },
        network: { type: "string" },
        sandbox: { type: "string" },
        all: { type: "boolean" },
        reason: { type: "string" },
        ifname: { type: "string", short: "i" },
        "cache-dir": { type: "string" },
      },
    });
  } catch (cause) {
    // Node's text goes on with advice about `--` that fits no command here.
    const [sentence = ""] = (cause instanceof Error ? cause.message : String(cause)).split(". ");
    throw new UsageError(sentence);
  }
}

type GivenOptions = Readonly<Partial<Record<CommandOption, string>>>;

function findCommand(
  words: readonly string[],
  given: GivenOptions,
): { command: Command; parameters: readonly string[] } {
  if (words.length === 0) throw new UsageError(`no command given; there are: ${listCommands()}`);
  const command = commands.find(({ name }) => {
    const parts = name.split(" ");
    return parts.every((part, index) => words[index] === part);
  });
  if (command === undefined) throw new UsageError(describeUnknown(words));
  const parameters = words.slice(command.name.split(" ").length);
  const hasEmpty = parameters.some((parameter) => parameter.trim() === "");
  const selectors = (command.selectors ?? []).filter((option) => given[option] !== undefined);
  const wanted = selectors.length > 0 ? 0 : command.parameters.length;
  if (parameters.length !== wanted || selectors.length > 1 || hasEmpty) {
    throw new UsageError(`usage: multusctl ${synopsis(command)}`);
  }
  return { command, parameters };
}

function describeUnknown(words: readonly string[]): string {
  const given = words.slice(0, 2).join(" ");
  const names = commands.map(({ name }) => name);
  const near = nearestName(given, names) ?? nearestName(words[0] ?? "", names);
  const meant = near === undefined ? "" : ` (did you mean "${near}"?)`;
  return `unknown command "${given}"${meant}; there are: ${listCommands()}`;
}

function listCommands(): string {
  return commands.map(({ name }) => name).join(", ");
}

function checkOptions(command: Command, given: GivenOptions): CommandInput["options"] {
  for (const option of commandOptions) {
    const value = given[option];
    if (value === undefined) continue;
    if (!command.options.includes(option)) {
      throw new UsageError(
        `--${option} does not belong to "${command.name}": multusctl ${synopsis(command)}`,
      );
    }
    if (value.trim() === "") throw new UsageError(`--${option} needs a value`);
  }
  if (command.required !== undefined && given[command.required] === undefined) {
    throw new UsageError(`--${command.required} is needed: multusctl ${synopsis(command)}`);
  }
  return { ...given };
}
