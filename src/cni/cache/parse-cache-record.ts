import {
  type Decode,
  decodeArray,
  decodeMap,
  decodeString,
  decodeStruct,
  documentPlace,
} from "../decoding/decode.ts";
import { CniError } from "../errors/cni-error.ts";
import { jsonKind } from "../raw-json/json-kind.ts";
import { JsonSyntaxError } from "../raw-json/json-syntax-error.ts";
import { JsonTypeError } from "../raw-json/json-type-error.ts";
import { assertJson, memberTextFold, parseRawObject } from "../raw-json/raw-object.ts";
import { parseResult } from "../results/parse-result.ts";
import { type CacheKey, type CacheRecord, cacheKind } from "./cache-record.ts";

export type ParsedCacheFile =
  /**
   * With whom it says that it belongs to. `resultProblem`: it has a result that cannot be used, such as one of a later
   * version, and so `record` has none; whose it is and how it was attached is known all the same.
   */
  | { readonly kind: "record"; readonly record: CacheRecord; readonly resultProblem?: string }
  /** A bare result, as libcni v0.7 kept it: whose it is only its file name says. */
  | { readonly kind: "legacy"; readonly result: NonNullable<CacheRecord["result"]> }
  | { readonly kind: "corrupt"; readonly reason: string };

/** Reads a cache file. Never throws: whatever is no whole record or result is corrupt. */
export function parseCacheFile(text: string): ParsedCacheFile {
  try {
    return readCacheFile(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return corrupt(`${error.message} at ${error.describePosition()}`);
    if (error instanceof JsonTypeError || error instanceof CniError) return corrupt(error.message);
    throw error;
  }
}

/** A record for a bare result, whose owner the caller knows. */
export function legacyRecord(key: CacheKey, result: NonNullable<CacheRecord["result"]>): CacheRecord {
  return { ...key, netns: "", args: [], capabilityArgs: {}, result };
}

function readCacheFile(text: string): ParsedCacheFile {
  if (text === "") return corrupt("empty file");
  assertJson(text);
  if (jsonKind(text) !== "object") return corrupt(`${jsonKind(text)} instead of a record`);
  const object = parseRawObject(text);
  const kindText = memberTextFold(object, "kind");
  if (kindText !== undefined) {
    if (decodeString(kindText, { path: "kind" }) === cacheKind) return readRecord(text);
    return corrupt("record of an unknown kind");
  }
  const version = memberTextFold(object, "cniVersion");
  if (version === undefined || version === "null" || version === '""') {
    return corrupt("neither a record nor a result");
  }
  return { kind: "legacy", result: parseResult(text) };
}

function corrupt(reason: string): ParsedCacheFile {
  return { kind: "corrupt", reason };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function readRecord(text: string): ParsedCacheFile {
  let resultText: string | undefined;
  const record: Mutable<CacheRecord> = {
    networkName: "",
    containerId: "",
    ifName: "",
    netns: "",
    config: "",
    args: [],
    capabilityArgs: {},
  };
  decodeStruct(text, documentPlace, "libcni.cachedInfo", {
    containerId: (value, place) => {
      record.containerId = decodeString(value, place);
    },
    config: (value, place) => {
      record.config = decodeBase64(value, place);
    },
    ifName: (value, place) => {
      record.ifName = decodeString(value, place);
    },
    networkName: (value, place) => {
      record.networkName = decodeString(value, place);
    },
    netns: (value, place) => {
      record.netns = decodeString(value, place);
    },
    cniArgs: (value, place) => {
      record.args = decodeArgs(value, place);
    },
    capabilityArgs: (value, place) => {
      record.capabilityArgs = decodeRawMap(value, place);
    },
    result: (value, place) => {
      if (jsonKind(value) !== "object") throw new JsonTypeError(value, place, "map[string]interface {}");
      resultText = value;
    },
  });
  return resultText === undefined ? { kind: "record", record } : withResult(record, resultText);
}

function withResult(record: CacheRecord, text: string): ParsedCacheFile {
  try {
    return { kind: "record", record: { ...record, result: parseResult(text) } };
  } catch (error) {
    if (!(error instanceof CniError)) throw error;
    return withoutResult(record, error.message);
  }
}

function withoutResult(record: CacheRecord, resultProblem: string): ParsedCacheFile {
  const isNamed = [record.networkName, record.containerId, record.ifName].every((name) => name !== "");
  return isNamed ? { kind: "record", record, resultProblem } : corrupt(resultProblem);
}

const decodeRawMap = decodeMap("map[string]interface {}", (text) => text);

/** Go's `[2]string`: what is missing is empty, what is too much is dropped. */
const decodePair: Decode<readonly [string, string]> = (text, place) => {
  const [key = "", value = ""] = decodeArray("[2]string", decodeString)(text, place);
  return [key, value];
};

const decodeArgs = decodeArray("[][2]string", decodePair);

/** Strict, since `Buffer.from` skips whatever is no base64. Line breaks are allowed, as in Go. */
const decodeBase64: Decode<string> = (text, place) => {
  const value = decodeString(text, place).replaceAll(/[\r\n]/g, "");
  if (value.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(value)) {
    throw new JsonTypeError(text, place, "[]uint8");
  }
  return Buffer.from(value, "base64").toString("utf8");
};
