import {
  type Decode,
  decodeArray,
  decodeInteger,
  decodeString,
  decodeStrings,
  decodeStruct,
  type StructFields,
} from "../decoding/decode.ts";
import { excerpt } from "../errors/excerpt.ts";
import { InvalidResultError } from "../errors/result-errors.ts";
import { jsonKind } from "../raw-json/json-kind.ts";
import type { JsonPlace } from "../raw-json/json-type-error.ts";
import type { LegacyIp, ResultDns, ResultInterface, ResultIp, ResultRoute } from "./cni-result.ts";
import { canonicalCidr, formatIp, parseIp } from "./ip-address.ts";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Up to 0.4.0 an interface has three keys: others are as unknown as any, whatever they hold. */
export const decodeOldInterface: Decode<ResultInterface> = (text, place) => {
  refuseNull(text, place);
  const result: Mutable<ResultInterface> = { name: "" };
  decodeStruct(text, place, "types040.Interface", oldInterfaceFields(result));
  return result;
};

/** From 1.0.0 on. */
export const decodeInterface: Decode<ResultInterface> = (text, place) => {
  refuseNull(text, place);
  const result: Mutable<ResultInterface> = { name: "" };
  decodeStruct(text, place, "types100.Interface", {
    ...oldInterfaceFields(result),
    mtu: (value, at) => setNumber(result, "mtu", decodeInteger(value, at)),
    socketPath: (value, at) => setText(result, "socketPath", decodeString(value, at)),
    pciID: (value, at) => setText(result, "pciId", decodeString(value, at)),
  });
  return result;
};

function oldInterfaceFields(result: Mutable<ResultInterface>): StructFields {
  return {
    name: (value, at) => {
      result.name = decodeString(value, at);
    },
    mac: (value, at) => setText(result, "mac", decodeString(value, at)),
    sandbox: (value, at) => setText(result, "sandbox", decodeString(value, at)),
  };
}

/** From 0.3.0 to 0.4.0: without a `version` it has an empty one, not the one of its family. */
export const decodeOldIp: Decode<ResultIp> = (text, place) => {
  const result: Mutable<ResultIp> = { version: "", address: "" };
  return readIp(text, place, result, {
    ...ipFields(result),
    version: (value, at) => {
      result.version = decodeString(value, at);
    },
  });
};

/** From 1.0.0 on, where `version` is no key any more. */
export const decodeIp: Decode<ResultIp> = (text, place) => {
  const result: Mutable<ResultIp> = { address: "" };
  return readIp(text, place, result, ipFields(result));
};

function readIp(text: string, place: JsonPlace, result: ResultIp, fields: StructFields): ResultIp {
  decodeStruct(text, refuseNull(text, place), "types100.ipConfig", fields);
  return requireText(result, result.address, place, "address");
}

function ipFields(result: Mutable<ResultIp>): StructFields {
  return {
    interface: (value, at) => {
      result.interface = decodeInteger(value, at);
    },
    address: (value, at) => {
      result.address = decodeCidr(value, at);
    },
    gateway: (value, at) => setText(result, "gateway", decodeAddress(value, at)),
  };
}

const decodeRoute: Decode<ResultRoute> = (text, place) => {
  const result: Mutable<ResultRoute> = { dst: "" };
  const inside = refuseNull(text, place);
  decodeStruct(text, inside, "types.route", {
    dst: (value, at) => {
      result.dst = decodeCidr(value, at);
    },
    gw: (value, at) => setText(result, "gw", decodeAddress(value, at)),
    mtu: (value, at) => setNumber(result, "mtu", decodeInteger(value, at)),
    advmss: (value, at) => setNumber(result, "advmss", decodeInteger(value, at)),
    priority: (value, at) => setNumber(result, "priority", decodeInteger(value, at)),
    table: (value, at) => {
      result.table = decodeInteger(value, at);
    },
    scope: (value, at) => {
      result.scope = decodeInteger(value, at);
    },
  });
  return requireText(result, result.dst, place, "dst");
};

export const decodeRoutes = decodeArray("[]*types.Route", decodeRoute);

export const decodeLegacyIp: Decode<LegacyIp> = (text, place) => {
  const result: Mutable<LegacyIp> = { ip: "", routes: [] };
  decodeStruct(text, { ...place, fixed: true }, "types020.ipConfig", {
    ip: (value, at) => {
      result.ip = decodeCidr(value, at);
    },
    gateway: (value, at) => setText(result, "gateway", decodeAddress(value, at)),
    routes: (value, at) => {
      result.routes = decodeRoutes(value, at);
    },
  });
  return requireText(result, result.ip, place, "ip");
};

export const decodeDns: Decode<ResultDns> = (text, place) => {
  const result: Mutable<ResultDns> = { nameservers: [], search: [], options: [] };
  decodeStruct(text, place, "types.DNS", {
    nameservers: (value, at) => {
      result.nameservers = decodeStrings(value, at);
    },
    domain: (value, at) => setText(result, "domain", decodeString(value, at)),
    search: (value, at) => {
      result.search = decodeStrings(value, at);
    },
    options: (value, at) => {
      result.options = decodeStrings(value, at);
    },
  });
  return result;
};

function decodeCidr(text: string, place: JsonPlace): string {
  const value = decodeString(text, place);
  const canonical = canonicalCidr(value);
  if (canonical === undefined) throw new InvalidResultError(`invalid CIDR address: ${excerpt(value)}`);
  return canonical;
}

function decodeAddress(text: string, place: JsonPlace): string {
  const value = decodeString(text, place);
  if (value === "") return "";
  const address = parseIp(value);
  if (address === undefined) throw new InvalidResultError(`invalid IP address: ${excerpt(value)}`);
  return formatIp(address);
}

/** libcni panics on such an element when it converts; inside one its errors keep the place of the list. */
function refuseNull(text: string, place: JsonPlace): JsonPlace {
  if (jsonKind(text) === "null") throw new InvalidResultError(`null element in ${place.path}`);
  return { ...place, fixed: true };
}

/** libcni writes `<nil>` for a missing address, and then cannot read it back. */
function requireText<T>(result: T, value: string, place: JsonPlace, key: string): T {
  if (value === "") throw new InvalidResultError(`element without ${key} in ${place.path}`);
  return result;
}

/** Go omits empty text, so absent and empty are one. */
function setText<K extends string>(target: { [key in K]?: string }, key: K, value: string): void {
  if (value === "") delete target[key];
  else target[key] = value;
}

/** Go omits 0, so absent and 0 are one. */
function setNumber<K extends string>(target: { [key in K]?: number }, key: K, value: number): void {
  if (value === 0) delete target[key];
  else target[key] = value;
}
