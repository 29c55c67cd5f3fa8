import {
  JsonSyntaxError,
  JsonTypeError,
  memberText,
  memberTextFold,
  parseRawArray,
  parseRawObject,
  type RawObject,
  withMember,
} from "../cni/index.ts";
import { Failure } from "./failure.ts";

/** The multus configuration of one request: the shim's stdin with the daemon's keys laid over it. */
export interface MultusConfiguration {
  /** What the caller's own configuration asks for; the daemon's overlay does not change it. Empty means 0.1.0. */
  readonly callerCniVersion: string;
  readonly confDir: string;
  readonly cniDir: string;
  readonly binDir: string;
  /** Lists or plugins, exact text. */
  readonly delegates: readonly string[];
  readonly clusterNetwork: string;
  readonly defaultNetworks: readonly string[];
  readonly namespaceIsolation: boolean;
  readonly globalNamespaces: readonly string[];
  readonly systemNamespaces: readonly string[];
  readonly multusNamespace: string;
  /** Waited for before an ADD; empty: nothing is. */
  readonly readinessFile: string;
  /** The runtime's capability arguments: name to JSON text. */
  readonly runtimeConfig: Readonly<Record<string, string>>;
  /** JSON text of the top level's `delErrorPolicy`. */
  readonly delErrorPolicy: string | undefined;
  /** JSON text of what the runtime says is still there (GC). */
  readonly validAttachments: string | undefined;
}

/**
 * Reads upstream's NetConf keys (case does not matter, as in Go; null is absent) from the request with the
 * daemon's overlay.
 * @throws {Failure} `malformed-request` if the request is no JSON object, `invalid-configuration` that names the key.
 */
export function readMultusConfiguration(request: string, overlay: string): MultusConfiguration {
  const caller = parseRequest(request);
  const merged = layOver(caller, parseRawObject(overlay));
  const strings = (key: string, fallback: string) => readText(merged, key) ?? fallback;
  return {
    callerCniVersion: readText(caller, "cniVersion") ?? "",
    confDir: strings("confDir", "/etc/cni/multus/net.d"),
    cniDir: strings("cniDir", "/var/lib/cni/multus"),
    binDir: strings("binDir", "/opt/cni/bin"),
    delegates: readArray(merged, "delegates"),
    clusterNetwork: strings("clusterNetwork", ""),
    defaultNetworks: readTexts(merged, "defaultNetworks", []),
    namespaceIsolation: readBoolean(merged, "namespaceIsolation"),
    globalNamespaces: splitNamespaces(strings("globalNamespaces", "")),
    systemNamespaces: readTexts(merged, "systemNamespaces", ["kube-system"]),
    multusNamespace: strings("multusNamespace", "kube-system"),
    readinessFile: strings("readinessindicatorfile", ""),
    runtimeConfig: readMembers(caller, "runtimeConfig"),
    delErrorPolicy: present(memberTextFold(merged, "delErrorPolicy")),
    validAttachments:
      present(memberText(caller, "cni.dev/valid-attachments")) ??
      present(memberText(caller, "cni.dev/attachments")),
  };
}

function parseRequest(request: string): RawObject {
  try {
    return parseRawObject(request);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError || error instanceof JsonTypeError)) throw error;
    throw new Failure("malformed-request", `network configuration: ${error.message}`, {
      code: 6,
      cause: error,
    });
  }
}

/** Shallow, as upstream: objects are replaced, not merged. The request's own version and runtime keys are read apart. */
function layOver(request: RawObject, overlay: RawObject): RawObject {
  let merged = request;
  for (const member of overlay.members) merged = withMember(merged, member.key, member.value);
  return merged;
}

function present(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === "null" ? undefined : text;
}

function wrongType(key: string, wanted: string): Failure {
  return new Failure("invalid-configuration", `multus configuration: ${key}: must be ${wanted}`);
}

function readText(object: RawObject, key: string): string | undefined {
  const text = present(memberTextFold(object, key));
  if (text === undefined) return undefined;
  const value: unknown = JSON.parse(text);
  if (typeof value !== "string") throw wrongType(key, "a string");
  return value;
}

function readBoolean(object: RawObject, key: string): boolean {
  const text = present(memberTextFold(object, key));
  if (text === undefined) return false;
  const value: unknown = JSON.parse(text);
  if (typeof value !== "boolean") throw wrongType(key, "true or false");
  return value;
}

function readArray(object: RawObject, key: string): readonly string[] {
  const text = present(memberTextFold(object, key));
  if (text === undefined) return [];
  if (!text.trim().startsWith("[")) throw wrongType(key, "an array");
  return parseRawArray(text);
}

function readTexts(object: RawObject, key: string, fallback: readonly string[]): readonly string[] {
  if (present(memberTextFold(object, key)) === undefined) return fallback;
  return readArray(object, key).map((text, index) => {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "string") throw wrongType(`${key}[${index}]`, "a string");
    return value;
  });
}

function readMembers(object: RawObject, key: string): Readonly<Record<string, string>> {
  const text = present(memberTextFold(object, key));
  if (text === undefined) return {};
  if (!text.trim().startsWith("{")) throw wrongType(key, "an object");
  const entries = parseRawObject(text).members.map((member) => [member.key, member.value] as const);
  return Object.fromEntries(entries);
}

/** Upstream: a comma list that replaces the default, which is the namespace `default`. */
function splitNamespaces(list: string): readonly string[] {
  const names = list
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  return names.length === 0 ? ["default"] : names;
}
