import {
  decodeArray,
  decodeString,
  decodeStruct,
  documentPlace,
  type StructFields,
} from "../decoding/decode.ts";
import { goQuote } from "../errors/go-quote.ts";
import { InvalidResultError, UnsupportedVersionError } from "../errors/result-errors.ts";
import { jsonKind } from "../raw-json/json-kind.ts";
import { JsonSyntaxError } from "../raw-json/json-syntax-error.ts";
import { JsonTypeError } from "../raw-json/json-type-error.ts";
import {
  assertJson,
  memberText,
  parseRawObject,
  printRawObject,
  withMember,
} from "../raw-json/raw-object.ts";
import type { CniResult } from "./cni-result.ts";
import { isSupportedVersion } from "./cni-version.ts";
import {
  decodeDns,
  decodeInterface,
  decodeIp,
  decodeLegacyIp,
  decodeOldInterface,
  decodeOldIp,
  decodeRoutes,
} from "./decode-result-parts.ts";
import { hasIpVersions, isLegacyVersion } from "./result-family.ts";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Reads a result of any known version. A text without `cniVersion` is of `fallbackVersion`; `null` is empty.
 * @throws {InvalidResultError} for what is no result
 * @throws {UnsupportedVersionError} for a version that is not known
 * @see libcni `create.CreateFromBytes`
 */
export function parseResult(text: string, fallbackVersion = "0.1.0"): CniResult {
  const version = readResultVersion(text) || fallbackVersion || "0.1.0";
  if (!isSupportedVersion(version)) {
    throw new UnsupportedVersionError(`unsupported CNI result version ${goQuote(version)}`);
  }
  try {
    return decodeResult(text, version);
  } catch (error) {
    throw error instanceof JsonTypeError ? new InvalidResultError(error.message, { cause: error }) : error;
  }
}

/**
 * Reads what a plugin printed after a successful ADD: without a usable `cniVersion` it is of the version that the
 * plugin was asked for. @see libcni `fixupResultVersion`
 * @throws {InvalidResultError}
 * @throws {UnsupportedVersionError}
 */
export function parseAddOutput(stdout: string, askedVersion: string): CniResult {
  const version = askedVersion === "" ? "0.1.0" : askedVersion;
  let object: ReturnType<typeof parseRawObject>;
  try {
    object = isNull(stdout) ? { members: [] } : parseRawObject(stdout);
  } catch (error) {
    throw describeUnreadable("failed to unmarshal raw result", error);
  }
  // In its exact letter case here, as in libcni; anything but text with something in it counts as absent.
  const given = memberText(object, "cniVersion");
  if (given !== undefined && jsonKind(given) === "string" && given !== '""') return parseResult(stdout);
  return parseResult(printRawObject(withMember(object, "cniVersion", JSON.stringify(version))));
}

function isNull(text: string): boolean {
  assertJson(text);
  return jsonKind(text) === "null";
}

function readResultVersion(text: string): string {
  let version = "";
  try {
    assertJson(text);
    decodeStruct(text, documentPlace, 'struct { CNIVersion string "json:\\"cniVersion\\"" }', {
      cniVersion: (value) => {
        // An anonymous struct: Go prints no name for it.
        version = decodeString(value, { struct: "", path: "cniVersion" });
      },
    });
  } catch (error) {
    throw describeUnreadable("decoding version from network config", error);
  }
  return version;
}

function describeUnreadable(what: string, error: unknown): unknown {
  if (error instanceof JsonSyntaxError) {
    return new InvalidResultError(`${what}: ${error.message}`, {
      details: error.describePosition(),
      cause: error,
    });
  }
  if (error instanceof JsonTypeError) {
    return new InvalidResultError(`${what}: ${error.message}`, { cause: error });
  }
  return error;
}

function decodeResult(text: string, cniVersion: string): CniResult {
  const result: Mutable<CniResult> = {
    cniVersion,
    interfaces: [],
    ips: [],
    routes: [],
    dns: { nameservers: [], search: [], options: [] },
  };
  const fields = isLegacyVersion(cniVersion) ? legacyFields(result) : listFields(result);
  decodeStruct(text, documentPlace, "types100.Result", {
    ...fields,
    dns: (value, place) => {
      result.dns = decodeDns(value, place);
    },
  });
  return result;
}

function legacyFields(result: Mutable<CniResult>): StructFields {
  return {
    ip4: (value, place) => {
      result.ip4 = decodeLegacyIp(value, place);
    },
    ip6: (value, place) => {
      result.ip6 = decodeLegacyIp(value, place);
    },
  };
}

function listFields(result: Mutable<CniResult>): StructFields {
  const isOld = hasIpVersions(result.cniVersion);
  const decodeInterfaces = decodeArray("[]*types100.Interface", isOld ? decodeOldInterface : decodeInterface);
  const decodeIps = decodeArray("[]*types100.IPConfig", isOld ? decodeOldIp : decodeIp);
  return {
    interfaces: (value, place) => {
      result.interfaces = decodeInterfaces(value, place);
    },
    ips: (value, place) => {
      result.ips = decodeIps(value, place);
    },
    routes: (value, place) => {
      result.routes = decodeRoutes(value, place);
    },
  };
}
