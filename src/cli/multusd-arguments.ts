import { parseArgs } from "node:util";

/** What `multusd` was started for. */
export type MultusdRequest =
  | { readonly kind: "run"; readonly configFile: string; readonly takeover: boolean }
  | { readonly kind: "check-config"; readonly configFile: string }
  | { readonly kind: "version" }
  | { readonly kind: "help" }
  /** The arguments cannot be understood; `message` says why. */
  | { readonly kind: "usage"; readonly message: string };

const defaultConfigFile = "/etc/cni/net.d/multus.d/daemon-config.json";

/** Text of `multusd --help`. */
export const multusdHelp = `multusd: the node daemon that gives pods more than one network

usage: multusd [--config FILE] [--takeover]
       multusd --check-config [--config FILE]

  --config FILE    daemon configuration (default ${defaultConfigFile})
  --takeover       take the place of a running multusd without a moment in between
  --check-config   print every problem of the configuration with its path, exit 1 if there is one
  --version        version of this program
  --help           this text

Exit status: 0 asked to stop and drained; 1 configuration refused; 2 could not start, or wrong usage;
3 stopped with requests cut off; 70 bug.
`;

/**
 * Reads the daemon's arguments, without the program's own name. Upstream's spelling with one dash (`-config`) is taken
 * too: manifests that start upstream's daemon keep working.
 */
export function parseMultusdArguments(argv: readonly string[]): MultusdRequest {
  try {
    const { values } = parseArgs({
      args: argv.map(withTwoDashes),
      options: {
        config: { type: "string", default: defaultConfigFile },
        takeover: { type: "boolean", default: false },
        "check-config": { type: "boolean", default: false },
        version: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    });
    const { config: configFile, takeover } = values;
    if (values.help) return { kind: "help" };
    if (values.version) return { kind: "version" };
    if (configFile === "") return { kind: "usage", message: "--config needs a file" };
    if (values["check-config"]) return { kind: "check-config", configFile };
    return { kind: "run", configFile, takeover };
  } catch (error) {
    return { kind: "usage", message: error instanceof Error ? error.message : String(error) };
  }
}

const singleDash = /^-(?=(?:config|version|help)(?:=|$))/;

function withTwoDashes(argument: string): string {
  return argument === "-h" ? "--help" : argument.replace(singleDash, "--");
}
