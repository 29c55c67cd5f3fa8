import type { Command, CommandOption } from "./command.ts";
import { commands } from "./commands.ts";

export const defaultSocketFile = "/run/multus/multus.sock";

const optionTexts: Readonly<Record<CommandOption, string>> = {
  pod: "--pod NAMESPACE/POD",
  network: "--network NETWORK",
  sandbox: "--sandbox CONTAINERID",
  all: "--all",
  reason: "--reason TEXT",
  ifname: "-i IFNAME",
  "cache-dir": "--cache-dir DIR",
};

/** Text of `multusctl --help`; `docs/multusctl.md` holds the same. */
export function renderHelp(): string {
  return `multusctl: what multusd holds and owes on this node, and what to do about it

usage: multusctl [--socket FILE] [-o table|json|yaml] COMMAND

${commands.map(describe).join("\n")}

  --socket FILE         the daemon's socket (default ${defaultSocketFile})
  -o, --output FORM     table for people (default); json and yaml: the daemon's own answer
  -i, --ifname IFNAME   of cni: the interface inside the namespace (default CNI_IFNAME)
  --cache-dir DIR       of cni: where results are kept from add to del (default /var/lib/cni)
  -h, --help            this text
  --version             version of this program

cni runs one network here and now, as upstream's cnitool does; it asks no daemon. NETWORK is the name of a network
configuration list, NETNS the path of a network namespace. Variables, as of cnitool: NETCONFPATH, the directory of
the configurations (default /etc/cni/net.d); CNI_PATH, the directories of the plugins; CNI_ARGS, KEY=VALUE;KEY=VALUE;
CAP_ARGS, a JSON object of capability arguments; CNI_IFNAME (default eth0). MULTUS_HOST_BINARY may name the program that
starts plugins.

An ID may be shortened to a beginning that only one deletion has. --network and --all take all of a network, or all that the
node owes, in its place; what the daemon refuses for one does not stop the others.
Exit status: 0 fine; 1 found something, or the daemon or a plugin refused; 2 wrong usage; 3 no daemon answers.
`;
}

/** Column at which summaries begin, as those of the options below them. */
const summaryColumn = 24;

/** One line, or two where the command leaves no room for its summary. */
function describe(command: Command): string {
  const text = `  ${synopsis(command)}`;
  const gap = text.length + 2 > summaryColumn ? `\n${" ".repeat(summaryColumn)}` : "";
  return `${gap === "" ? text.padEnd(summaryColumn) : text + gap}${command.summary}`;
}

/** A command with everything that may follow it. */
export function synopsis(command: Command): string {
  const selectors = command.selectors ?? [];
  const options = command.options
    .filter((option) => !selectors.includes(option))
    .map((option) => (option === command.required ? optionTexts[option] : `[${optionTexts[option]}]`));
  const chosen = [...command.parameters, ...selectors.map((option) => optionTexts[option])];
  const parameters = selectors.length > 0 ? [chosen.join("|")] : command.parameters;
  return [command.name, ...parameters, ...options].join(" ");
}
