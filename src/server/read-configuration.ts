import { Failure } from "../attachments/failure.ts";
import type { CniCommand } from "../attachments/invocation.ts";
import {
  compareVersions,
  currentVersion,
  isSupportedVersion,
  JsonSyntaxError,
  memberTextFold,
  parseRawObject,
  supportedVersions,
  validateNetworkName,
} from "../cni/index.ts";

/** What the edge needs to know of a configuration; the text itself goes on untouched. */
export interface ConfigurationHead {
  /** Exact text. */
  readonly text: string;
  /** `cniVersion`, 0.1.0 where there is none (SPEC.md "Section 1"). */
  readonly cniVersion: string;
}

/**
 * The configuration that the shim read from stdin, checked as the reference skeleton does it.
 * @throws {Failure} `malformed-request` with code 6, 7 or 1
 */
export function readConfiguration(base64: string, command: CniCommand): ConfigurationHead {
  const text = decodeText(base64);
  if (text === undefined) throw malformed(6, "the configuration in the request is no base64 of UTF-8 text");
  const object = parse(text);
  const cniVersion = readString(object, "cniVersion") || "0.1.0";
  if (!isSupportedVersion(cniVersion)) {
    const known = supportedVersions.join(", ");
    throw malformed(1, "incompatible CNI versions", `the configuration asks for another one than ${known}`);
  }
  const minimum = minimumVersions[command];
  if (minimum !== undefined && compareVersions(cniVersion, minimum) < 0) {
    throw malformed(
      1,
      `config version does not allow ${command}`,
      `it is ${cniVersion}, ${minimum} is needed`,
    );
  }
  const problem = validateNetworkName(readString(object, "name"));
  if (problem !== undefined) throw malformed(7, problem.message, problem.details);
  return { text, cniVersion };
}

/** The same for a DEL, which needs no configuration to find its sandbox: `{}` where it cannot be read. */
export function readConfigurationOfDelete(
  base64: unknown,
): ConfigurationHead & { readonly problem?: string } {
  const unreadable = (problem: string) => ({ text: "{}", cniVersion: currentVersion, problem });
  if (typeof base64 !== "string") return unreadable("it is missing");
  const text = decodeText(base64);
  if (text === undefined) return unreadable("it is no base64 of UTF-8 text");
  try {
    const version = readString(parse(text), "cniVersion") || "0.1.0";
    return { text, cniVersion: isSupportedVersion(version) ? version : currentVersion };
  } catch (error) {
    if (error instanceof Failure) return unreadable(error.message);
    throw error;
  }
}

/** skel: CHECK came with 0.4.0, GC and STATUS with 1.1.0. */
const minimumVersions: Readonly<Partial<Record<CniCommand, string>>> = {
  CHECK: "0.4.0",
  GC: "1.1.0",
  STATUS: "1.1.0",
};

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** `Buffer.from` reads any text as base64, so what it read must print as what came. */
function decodeText(base64: string): string | undefined {
  const bytes = Buffer.from(base64, "base64");
  if (bytes.toString("base64") !== base64) return undefined;
  try {
    return utf8.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function parse(text: string): ReturnType<typeof parseRawObject> {
  try {
    return parseRawObject(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) {
      throw malformed(
        6,
        `the configuration on stdin is no JSON: ${error.describePosition()}`,
        undefined,
        error,
      );
    }
    throw malformed(6, "the configuration on stdin is no JSON object", undefined, error);
  }
}

/** Empty where the key is absent or null, as Go reads it. */
function readString(object: ReturnType<typeof parseRawObject>, key: string): string {
  const text = memberTextFold(object, key);
  if (text === undefined || text === "null") return "";
  const value: unknown = JSON.parse(text);
  if (typeof value !== "string") throw malformed(6, `"${key}" in the configuration on stdin is no string`);
  return value;
}

function malformed(code: number, message: string, details?: string, cause?: unknown): Failure {
  return new Failure("malformed-request", message, {
    code,
    ...(details === undefined ? {} : { details }),
    ...(cause === undefined ? {} : { cause }),
  });
}
