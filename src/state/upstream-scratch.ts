import type { UpstreamDelegate } from "../attachments/ports.ts";
import { type Decode, isObject, listOf, ShapeError } from "./decode.ts";

/**
 * Upstream multus' scratch file: a JSON array of `DelegateNetConf`, whose keys are Go's field names where they have no
 * tag (pkg/types/types.go). `Bytes` is what its DEL runs; `ConfList.plugins` tells it a list from a single plugin.
 */
export function encodeScratch(delegates: readonly UpstreamDelegate[]): Buffer {
  return Buffer.from(JSON.stringify(delegates.map(encodeDelegate)));
}

/**
 * What can be used of a scratch file, of ours or of any version of upstream. Elements without a configuration are left
 * out: the others must still be deleted.
 * @throws {ShapeError} if there is none
 */
export function decodeScratch(bytes: Buffer): readonly UpstreamDelegate[] {
  const delegates = listOf(decodeDelegate)(parse(bytes), "").filter((delegate) => delegate !== undefined);
  if (delegates.length === 0) throw new ShapeError("", "a list of delegates");
  return delegates;
}

function encodeDelegate(delegate: UpstreamDelegate): object {
  const config = parseObject(delegate.config);
  const isList = Array.isArray(config["plugins"]);
  // JSON leaves out members that are undefined, as Go does with `omitempty`.
  return {
    Conf: isList ? { ipam: {} } : reducePlugin(config),
    ConfList: isList ? reduceList(config) : {},
    Name: delegate.name,
    ifnameRequest: delegate.interfaceRequest,
    macRequest: delegate.macRequest,
    ipRequest: delegate.ipRequest,
    IsFilterV4Gateway: false,
    IsFilterV6Gateway: false,
    deviceID: delegate.deviceId,
    Bytes: Buffer.from(delegate.config).toString("base64"),
  };
}

/** Only members whose type Go expects: one of another type would make upstream give up on the whole file. */
function reduceList(list: JsonObject): object {
  const plugins = Array.isArray(list["plugins"]) ? list["plugins"] : [];
  return {
    cniVersion: textOrNothing(list["cniVersion"]),
    name: textOrNothing(list["name"]),
    plugins: plugins.filter(isObject).map(reducePlugin),
  };
}

function reducePlugin(plugin: JsonObject): object {
  const ipam = isObject(plugin["ipam"]) ? { type: textOrNothing(plugin["ipam"]["type"]) } : {};
  return {
    cniVersion: textOrNothing(plugin["cniVersion"]),
    name: textOrNothing(plugin["name"]),
    type: textOrNothing(plugin["type"]),
    ipam,
  };
}

const decodeDelegate: Decode<UpstreamDelegate | undefined> = (value) => {
  if (!isObject(value)) return undefined;
  const read = memberReader(value);
  const config = decodeConfig(read);
  if (config === undefined) return undefined;
  const ips = read("ipRequest");
  const optional = {
    interfaceRequest: textOrNothing(read("ifnameRequest")),
    macRequest: textOrNothing(read("macRequest")),
    ipRequest: Array.isArray(ips) ? ips.filter((ip) => typeof ip === "string") : undefined,
    deviceId: textOrNothing(read("deviceID")),
  };
  return { config, name: textOrNothing(read("Name")) ?? "", ...withoutUndefined(optional) };
};

/** Old releases kept a reduced form in `Bytes`, and some files have none: then what was parsed is all there is. */
function decodeConfig(read: ReadMember): string | undefined {
  const bytes = textOrNothing(read("Bytes"));
  if (bytes !== undefined) {
    const config = Buffer.from(bytes, "base64").toString("utf8");
    if (Object.keys(parseObject(config)).length > 0) return config;
  }
  const list = read("ConfList");
  if (isObject(list) && Array.isArray(list["plugins"]) && list["plugins"].length > 0)
    return JSON.stringify(list);
  const single = read("Conf");
  return isObject(single) && textOrNothing(single["type"]) !== undefined ? JSON.stringify(single) : undefined;
}

type JsonObject = Readonly<Record<string, unknown>>;
type ReadMember = (key: string) => unknown;

/** Go's way with keys: the exact one, else the last that differs in case alone. */
function memberReader(object: JsonObject): ReadMember {
  const folded = new Map(Object.entries(object).map(([key, value]) => [key.toLowerCase(), value]));
  return (key) => (Object.hasOwn(object, key) ? object[key] : folded.get(key.toLowerCase()));
}

/** Go writes what is empty and what is absent alike. */
function textOrNothing(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    throw new ShapeError("", "JSON");
  }
}

function parseObject(config: string): JsonObject {
  try {
    const value: unknown = JSON.parse(config);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function withoutUndefined<T extends object>(object: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
}
