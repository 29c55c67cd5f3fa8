import { Failure } from "../attachments/failure.ts";
import { type CniCommand, cniCommands } from "../attachments/invocation.ts";
import { validateContainerId } from "../cni/index.ts";

/** `env` of a request, its values not trusted to be text. */
export type Environment = Readonly<Record<string, unknown>>;

/** A file's name is made of it (docs/wire.md), with a suffix, and a temporary one with more; in bytes. */
const maxContainerIdLength = 200;

/** The command, where the body is whole enough to hold one that is known. */
export function peekCommand(body: unknown): CniCommand | undefined {
  const command = environmentOf(body)?.["CNI_COMMAND"];
  return cniCommands.find((known) => known === command);
}

/** The container ID, where there is a valid one; else empty. */
export function peekContainerId(body: unknown): string {
  const id = environmentOf(body)?.["CNI_CONTAINERID"];
  return typeof id === "string" && containerIdProblem(id) === undefined ? id : "";
}

/**
 * Reads variables; absent ones are empty. NUL cannot stand in an environment: refused, or with `notes` passed over.
 */
export function readText(environment: Environment, notes?: string[]): (name: string) => string {
  return (name) => {
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    if (value === undefined) return "";
    if (typeof value === "string" && !value.includes("\0")) return value;
    if (notes === undefined) throw badEnvironment(`${name} is no text that an environment can hold`);
    notes.push(`${name} is no text that an environment can hold, taken as empty`);
    return "";
  };
}

/** What is wrong with a container ID, if anything. */
export function containerIdProblem(
  id: string,
): { message: string; details?: string | undefined } | undefined {
  const problem = validateContainerId(id);
  if (problem !== undefined) return problem;
  if (id.length <= maxContainerIdLength) return undefined;
  return { message: `CNI_CONTAINERID is longer than ${maxContainerIdLength} characters` };
}

/** `undefined` where the body holds none. */
export function environmentOf(body: unknown): Environment | undefined {
  if (!isObject(body) || !isObject(body["env"])) return undefined;
  return body["env"];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A `malformed-request` with code 4. */
export function badEnvironment(message: string, details?: string): Failure {
  return new Failure("malformed-request", message, {
    code: 4,
    ...(details === undefined ? {} : { details }),
  });
}
