import { isAbsolute, resolve } from "node:path";
import { goQuote } from "../../cni/errors/go-quote.ts";
import {
  type Attachment,
  InvalidEnvironmentError,
  InvalidNetworkConfigError,
  JsonSyntaxError,
  JsonTypeError,
  parseRawObject,
} from "../../cni/index.ts";

const defaultDirectory = "/etc/cni/net.d";
const defaultIfName = "eth0";

/** What the variables of cnitool say besides the network and the namespace. */
export type CniEnvironment = Pick<Attachment, "args" | "capabilityArgs" | "ifName" | "searchPath">;

/** NETCONFPATH: where network configurations are. An empty one counts as absent. */
export function configurationDirectory(env: NodeJS.ProcessEnv): string {
  return env["NETCONFPATH"] || defaultDirectory;
}

/**
 * CNI_PATH, CNI_ARGS, CAP_ARGS and CNI_IFNAME as upstream's cnitool reads them: an empty CNI_IFNAME is an empty name.
 * @throws {InvalidEnvironmentError | InvalidNetworkConfigError} that names the variable
 */
export function readEnvironment(env: NodeJS.ProcessEnv): CniEnvironment {
  return {
    capabilityArgs: readCapabilityArgs(env["CAP_ARGS"] ?? ""),
    args: readArgs(env["CNI_ARGS"] ?? ""),
    ifName: env["CNI_IFNAME"] ?? defaultIfName,
    searchPath: readSearchPath(env["CNI_PATH"] ?? ""),
  };
}

/** Absolute, since plugins do not run in the directory of the caller. */
function readSearchPath(text: string): readonly string[] {
  return text === "" ? [] : text.split(":").map(absolute);
}

function absolute(directory: string): string {
  return isAbsolute(directory) ? directory : resolve(directory);
}

function readArgs(text: string): CniEnvironment["args"] {
  if (text === "") return [];
  return text.split(";").map((pair) => {
    const [key, value, ...more] = pair.split("=");
    if (!key || !value || more.length > 0) {
      throw new InvalidEnvironmentError(`invalid CNI_ARGS pair ${goQuote(pair)}`);
    }
    return [key, value];
  });
}

/** Argument texts stay as they were written. `null` is no argument at all, as in Go. */
function readCapabilityArgs(text: string): CniEnvironment["capabilityArgs"] {
  if (text === "" || text.trim() === "null") return {};
  try {
    return Object.fromEntries(parseRawObject(text).members.map(({ key, value }) => [key, value]));
  } catch (error) {
    if (!(error instanceof JsonSyntaxError) && !(error instanceof JsonTypeError)) throw error;
    throw new InvalidNetworkConfigError(`invalid CAP_ARGS: ${error.message}`, { cause: error });
  }
}
