import { isIP } from "node:net";
import {
  JsonSyntaxError,
  parseRawArray,
  parseRawObject,
  type RawObject,
  validateInterfaceName,
} from "../cni/index.ts";
import { Failure } from "./failure.ts";
import type { NetworkSelection } from "./network-selection.ts";

/**
 * Parses a networks annotation in its short (`ns/name@if, …`) or JSON form (multus reference §4.2).
 * @param annotation the annotation's key, for error texts
 * @throws {Failure} `invalid-configuration` that names element and key, e.g. `networks[2].mac`
 */
export function parseNetworkSelections(
  annotation: string,
  text: string,
  defaultNamespace: string,
): readonly NetworkSelection[] {
  if (text.trim() === "") return [];
  return /[[{"]/.test(text)
    ? parseJsonForm(annotation, text, defaultNamespace)
    : text
        .split(",")
        .map((item, index) => parseShortForm(at(annotation, index), item.trim(), defaultNamespace));
}

function at(annotation: string, index: number, key = ""): string {
  return `annotation ${annotation}: networks[${index}]${key === "" ? "" : `.${key}`}`;
}

function refuse(where: string, what: string): Failure {
  return new Failure("invalid-configuration", `${where}: ${what}`);
}

const dnsLabel = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

function parseShortForm(where: string, item: string, defaultNamespace: string): NetworkSelection {
  const [selector = "", interfaceName, ...moreNames] = item.split("@");
  if (moreNames.length > 0)
    throw refuse(where, `"${item}" has more than one @; write [namespace/]name[@interface]`);
  const parts = selector.split("/");
  if (parts.length > 2)
    throw refuse(where, `"${item}" has more than one /; write [namespace/]name[@interface]`);
  const name = parts.at(-1)?.trim() ?? "";
  const namespace = parts.length === 2 ? (parts[0]?.trim() ?? "") : defaultNamespace;
  if (!dnsLabel.test(name)) throw refuse(where, `"${name}" is no name of a network definition`);
  if (!dnsLabel.test(namespace)) throw refuse(where, `"${namespace}" is no name of a namespace`);
  if (interfaceName === undefined) return { namespace, name };
  return { namespace, name, interface: checkInterface(where, interfaceName.trim()) };
}

function checkInterface(where: string, name: string): string {
  const problem = validateInterfaceName(name);
  if (problem !== undefined) {
    throw refuse(
      `${where}.interface`,
      `"${name}": ${problem.message}${problem.details === undefined ? "" : `; ${problem.details}`}`,
    );
  }
  return name;
}

function parseJsonForm(
  annotation: string,
  text: string,
  defaultNamespace: string,
): readonly NetworkSelection[] {
  if (!text.trim().startsWith("["))
    throw refuse(`annotation ${annotation}`, "must be a JSON array of networks");
  const elements = guardJson(`annotation ${annotation}`, () => parseRawArray(text));
  return elements.map((element, index) => {
    if (!element.trim().startsWith("{")) throw refuse(at(annotation, index), "must be an object");
    const object = guardJson(at(annotation, index), () => parseRawObject(element));
    return readSelection(new SelectionReader(annotation, index, object), defaultNamespace);
  });
}

function guardJson<T>(where: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new Failure("invalid-configuration", `${where}: ${error.message}`, { cause: error });
  }
}

function readSelection(reader: SelectionReader, defaultNamespace: string): NetworkSelection {
  const name = reader.text("name");
  if (name === undefined || name === "") throw refuse(reader.where("name"), "is missing");
  const requested = reader.text("interface") || reader.text("interfaceRequest");
  const selection = {
    namespace: reader.text("namespace") || defaultNamespace,
    name,
    interface: requested ? checkInterface(reader.where(""), requested) : undefined,
    ips: reader.addresses("ips"),
    mac: reader.hardwareAddress("mac"),
    infinibandGuid: reader.hardwareAddress("infiniband-guid"),
    portMappings: reader.json("portMappings", "["),
    bandwidth: reader.json("bandwidth", "{"),
    deviceId: reader.text("deviceID"),
    cniArgs: reader.json("cni-args", "{"),
    defaultRoute: reader.gateways("default-route"),
  };
  return dropAbsent(selection);
}

type Sparse<T> = { [K in keyof T]?: T[K] | undefined };

function dropAbsent(
  selection: Sparse<NetworkSelection> & { namespace: string; name: string },
): NetworkSelection {
  const present = Object.entries(selection).filter(([, value]) => value !== undefined && value !== "");
  return Object.fromEntries(present) as unknown as NetworkSelection;
}

/** Reads one element's keys; Go's decoder does not mind their case, null is absent. */
class SelectionReader {
  readonly #annotation: string;
  readonly #index: number;
  readonly #object: RawObject;

  constructor(annotation: string, index: number, object: RawObject) {
    this.#annotation = annotation;
    this.#index = index;
    this.#object = object;
  }

  where(key: string): string {
    return at(this.#annotation, this.#index, key);
  }

  json(key: string, opening: "[" | "{"): string | undefined {
    const text = this.#member(key);
    if (text === undefined) return undefined;
    if (text.startsWith(opening)) return text;
    throw refuse(this.where(key), `must be ${opening === "[" ? "an array" : "an object"}`);
  }

  text(key: string): string | undefined {
    const text = this.#member(key);
    if (text === undefined) return undefined;
    const value: unknown = JSON.parse(text);
    if (typeof value !== "string") throw refuse(this.where(key), "must be a string");
    return value;
  }

  addresses(key: string): readonly string[] | undefined {
    return this.#texts(key, isAddressOrCidr, "is no IP address and no CIDR");
  }

  gateways(key: string): readonly string[] | undefined {
    return this.#texts(key, (value) => isIP(value) !== 0, "is no IP address");
  }

  hardwareAddress(key: string): string | undefined {
    const value = this.text(key);
    if (value === undefined || value === "") return undefined;
    if (!isHardwareAddress(value))
      throw refuse(this.where(key), `"${value}" is no hardware address of 6, 8 or 20 bytes`);
    return value;
  }

  #texts(key: string, accept: (value: string) => boolean, complaint: string): readonly string[] | undefined {
    const text = this.json(key, "[");
    if (text === undefined) return undefined;
    return parseRawArray(text).map((element, position) => {
      const value: unknown = JSON.parse(element);
      if (typeof value === "string" && accept(value)) return value;
      throw refuse(`${this.where(key)}[${position}]`, `${element} ${complaint}`);
    });
  }

  #member(key: string): string | undefined {
    const folded = key.toLowerCase();
    const found = this.#object.members.findLast((member) => member.key.toLowerCase() === folded);
    const text = found?.value.trim();
    return text === "null" ? undefined : text;
  }
}

function isAddressOrCidr(value: string): boolean {
  const slash = value.indexOf("/");
  if (slash === -1) return isIP(value) !== 0;
  const family = isIP(value.slice(0, slash));
  const length = value.slice(slash + 1);
  return family !== 0 && /^\d{1,3}$/.test(length) && Number(length) <= (family === 4 ? 32 : 128);
}

/** Go's `net.ParseMAC`: 6, 8 or 20 bytes, separated by `:` or `-`, or in dotted groups of four digits. */
function isHardwareAddress(value: string): boolean {
  const groups = /^[0-9a-f]{2}([:-])[0-9a-f]{2}(\1[0-9a-f]{2})*$/i.test(value)
    ? (value.length + 1) / 3
    : undefined;
  const dotted = /^[0-9a-f]{4}(\.[0-9a-f]{4})+$/i.test(value) ? ((value.length + 1) / 5) * 2 : undefined;
  return [6, 8, 20].includes(groups ?? dotted ?? 0);
}
