import type { IncomingHttpHeaders } from "node:http";
import { Failure } from "../attachments/failure.ts";
import type { CniCommand, CniInvocation } from "../attachments/invocation.ts";
import type { BootClock } from "../attachments/ports.ts";
import { validateInterfaceName } from "../cni/index.ts";
import { readCniArgs } from "./read-cni-args.ts";
import { readConfiguration, readConfigurationOfDelete } from "./read-configuration.ts";
import { readTimeHeaders } from "./time-headers.ts";
import {
  badEnvironment,
  containerIdProblem,
  type Environment,
  environmentOf,
  peekCommand,
  readText,
} from "./wire-environment.ts";

/** A request as it came over the socket, its body parsed but not trusted. */
export interface WireRequest {
  readonly body: unknown;
  /** What the schema says against `body`; absent where it fits. */
  readonly schemaProblem: SchemaProblem | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly requestId: string;
}

export interface SchemaProblem {
  readonly message: string;
  /** It is about `env`, not about `config` or the whole. */
  readonly isAboutEnvironment: boolean;
}

export interface ReadInvocation {
  readonly invocation: CniInvocation;
  /** Version that errors are reported in. */
  readonly cniVersion: string;
  /** What of a DEL could not be read and was passed over, for the log. */
  readonly notes: readonly string[];
}

const defaultInterface = "eth0";

/**
 * Makes a typed invocation of a request. A DEL is taken as long as its container can be told: a runtime that gets an
 * error for a DEL calls again with the same words.
 * @throws {Failure} `malformed-request` with code 4 (environment), 6 (JSON), 7 (name) or 1 (version)
 */
export function readInvocation(wire: WireRequest, clock: BootClock): ReadInvocation {
  const command = peekCommand(wire.body);
  const environment = environmentOf(wire.body);
  if (command === "DEL" && environment !== undefined) return readDelete(wire, environment, clock);
  if (wire.schemaProblem !== undefined) {
    const code = wire.schemaProblem.isAboutEnvironment ? 4 : 6;
    throw new Failure("malformed-request", wire.schemaProblem.message, { code });
  }
  const text = readText(environment ?? {});
  if (command === undefined) throw badEnvironment(`unknown CNI_COMMAND: ${text("CNI_COMMAND").slice(0, 40)}`);
  return readStrictly(command, text, wire, clock);
}

function readStrictly(
  command: CniCommand,
  text: (name: string) => string,
  wire: WireRequest,
  clock: BootClock,
): ReadInvocation {
  const head = readConfiguration((wire.body as { config: string }).config, command);
  const sandbox = command === "GC" || command === "STATUS" ? noSandbox : readSandbox(text);
  const fields = { ...sandbox, path: splitPath(text("CNI_PATH")) };
  return { ...toInvocation(command, fields, head, wire, clock), notes: [] };
}

/** GC and STATUS are about no container; what stands in their environment is not read. */
const noSandbox = { containerId: "", ifName: "", netns: "", args: [] } as const;

function readSandbox(text: (name: string) => string): Pick<CniInvocation, keyof typeof noSandbox> {
  const containerId = text("CNI_CONTAINERID");
  const netns = text("CNI_NETNS");
  const ifName = text("CNI_IFNAME") || defaultInterface;
  const missing = Object.entries({ CNI_CONTAINERID: containerId, CNI_NETNS: netns })
    .filter(([, value]) => value === "")
    .map(([name]) => name);
  if (missing.length > 0) throw badEnvironment(`required env variables [${missing.join(",")}] missing`);
  const problem = containerIdProblem(containerId) ?? validateInterfaceName(ifName);
  if (problem !== undefined) throw badEnvironment(problem.message, problem.details);
  const args = readCniArgs(text("CNI_ARGS"));
  if (args.unreadable > 0) throw badEnvironment("CNI_ARGS holds a part that is no pair KEY=VALUE");
  return { containerId, ifName, netns, args: args.pairs };
}

function readDelete(wire: WireRequest, environment: Environment, clock: BootClock): ReadInvocation {
  const notes: string[] = [];
  const text = readText(environment, notes);
  const containerId = text("CNI_CONTAINERID");
  const problem = containerIdProblem(containerId);
  if (problem !== undefined) throw badEnvironment(problem.message, problem.details);
  let ifName = text("CNI_IFNAME") || defaultInterface;
  if (validateInterfaceName(ifName) !== undefined) {
    // No ADD can have had such a name: what is meant is most likely the sandbox.
    notes.push(`CNI_IFNAME is no interface name, taken as ${defaultInterface}`);
    ifName = defaultInterface;
  }
  const args = readCniArgs(text("CNI_ARGS"));
  if (args.unreadable > 0) notes.push(`${args.unreadable} parts of CNI_ARGS are no pairs`);
  const head = readConfigurationOfDelete((wire.body as { config?: unknown }).config);
  if (head.problem !== undefined) notes.push(`configuration passed over: ${head.problem}`);
  const fields = {
    containerId,
    ifName,
    netns: text("CNI_NETNS"),
    args: args.pairs,
    path: splitPath(text("CNI_PATH")),
  };
  return { ...toInvocation("DEL", fields, head, wire, clock), notes };
}

function toInvocation(
  command: CniCommand,
  fields: Pick<CniInvocation, "containerId" | "ifName" | "netns" | "args" | "path">,
  head: { readonly text: string; readonly cniVersion: string },
  wire: WireRequest,
  clock: BootClock,
): { readonly invocation: CniInvocation; readonly cniVersion: string } {
  const time = readTimeHeaders(wire.headers, clock);
  const invocation = { command, requestId: wire.requestId, ...fields, config: head.text, ...time };
  return { invocation, cniVersion: head.cniVersion };
}

function splitPath(path: string): readonly string[] {
  return path.split(":").filter((directory) => directory !== "");
}
