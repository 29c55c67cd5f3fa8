import { jsonKind } from "../raw-json/json-kind.ts";
import { type JsonPlace, JsonTypeError } from "../raw-json/json-type-error.ts";
import { parseRawArray } from "../raw-json/raw-array.ts";
import { foldKey, parseRawObject } from "../raw-json/raw-object.ts";

/**
 * Reads a value as Go's `encoding/json` fills a field of some type: `null` leaves the zero value.
 * @throws {JsonTypeError} for a value of another type
 */
export type Decode<T> = (text: string, place: JsonPlace) => T;

/** The place of a whole document. */
export const documentPlace: JsonPlace = { path: "" };

/** What is done with each key of a struct; keys match without regard to case, the last one wins. */
export type StructFields = Readonly<Record<string, (text: string, place: JsonPlace) => void>>;

/**
 * Reads an object into a struct: calls the field of each known key in document order and skips unknown keys.
 * `null` calls nothing. `goType` is the struct's full name, such as `types.IPAM`.
 */
export function decodeStruct(text: string, place: JsonPlace, goType: string, fields: StructFields): void {
  const kind = jsonKind(text);
  if (kind === "null") return;
  if (kind !== "object") throw new JsonTypeError(text, place, goType);
  const byFoldedKey = new Map(Object.keys(fields).map((key) => [foldKey(key), key]));
  for (const member of parseRawObject(text).members) {
    const key = byFoldedKey.get(foldKey(member.key));
    if (key === undefined || jsonKind(member.value) === "null") continue;
    fields[key]?.(member.value, fieldPlace(place, goType, key));
  }
}

function fieldPlace(place: JsonPlace, goType: string, key: string): JsonPlace {
  if (place.fixed === true) return place;
  const struct = goType.slice(goType.lastIndexOf(".") + 1);
  return { struct, path: place.path === "" ? key : `${place.path}.${key}` };
}

export const decodeString: Decode<string> = (text, place) => {
  const kind = jsonKind(text);
  if (kind === "null") return "";
  if (kind !== "string") throw new JsonTypeError(text, place, "string");
  // Go replaces lone surrogates while decoding; so does this, or they would be lost at the next write.
  return (JSON.parse(text) as string).toWellFormed();
};

export const decodeBoolean: Decode<boolean> = (text, place) => {
  const kind = jsonKind(text);
  if (kind === "null") return false;
  if (kind !== "bool") throw new JsonTypeError(text, place, "bool");
  return text.trim() === "true";
};

/** Integers as Go writes them: `1.0` and `1e2` are none. Beyond 2^53 they are refused rather than rounded. */
export const decodeInteger: Decode<number> = (text, place) => {
  const value = readNumber(text, place, "int", /^-?\d+$/);
  if (!Number.isSafeInteger(value)) throw new JsonTypeError(text, place, "int");
  return value;
};

/** Up to 2^64 as in Go, and rounded beyond 2^53: an error code of that size must not cost the error's text. */
export const decodeUnsigned: Decode<number> = (text, place) => {
  const value = readNumber(text, place, "uint", /^\d+$/);
  // The highest ones that fit are rounded to 2^64, so that there the text decides.
  const isTooLarge = value > 2 ** 64 || (value === 2 ** 64 && BigInt(text) >= 2n ** 64n);
  if (isTooLarge) throw new JsonTypeError(text, place, "uint");
  return value;
};

function readNumber(text: string, place: JsonPlace, goType: string, form: RegExp): number {
  const kind = jsonKind(text);
  if (kind === "null") return 0;
  if (kind !== "number" || !form.test(text.trim())) throw new JsonTypeError(text, place, goType);
  // `-0` is an integer in Go.
  return Number(text) + 0;
}

/** A slice: absent and `null` are empty. */
export function decodeArray<T>(goType: string, element: Decode<T>): Decode<readonly T[]> {
  return (text, place) => {
    const kind = jsonKind(text);
    if (kind === "null") return [];
    if (kind !== "array") throw new JsonTypeError(text, place, goType);
    return parseRawArray(text).map((item) => element(item, place));
  };
}

/** A map with string keys, its keys safe against `__proto__`: absent and `null` are empty. */
export function decodeMap<T>(goType: string, element: Decode<T>): Decode<Readonly<Record<string, T>>> {
  return (text, place) => {
    const kind = jsonKind(text);
    if (kind === "null") return {};
    if (kind !== "object") throw new JsonTypeError(text, place, goType);
    const members = parseRawObject(text).members;
    return Object.fromEntries(members.map((member) => [member.key, element(member.value, place)]));
  };
}

export const decodeStrings: Decode<readonly string[]> = decodeArray("[]string", decodeString);
