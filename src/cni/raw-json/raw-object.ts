import { scanDocument, scanObject } from "./json-scanner.ts";
import { JsonTypeError } from "./json-type-error.ts";

/** One member of an object as its author wrote it. */
export interface RawMember {
  readonly key: string;
  /** The key's JSON text, quotes and escapes included. */
  readonly keyText: string;
  /** The value's JSON text: numbers, escapes and inner white space exactly as written. */
  readonly value: string;
}

/**
 * A JSON object whose values have not been touched. Needed since a plugin must get what the operator wrote and
 * `JSON.parse` rounds integers above 2^53, turns `1.0` into `1` and cannot hold `1e400`.
 */
export interface RawObject {
  /** In document order; a key may come twice, and then the last one counts. */
  readonly members: readonly RawMember[];
}

/**
 * Reads one JSON object.
 * @throws {JsonSyntaxError} if `text` is no JSON or is nested deeper than 1000
 * @throws {JsonTypeError} if it is JSON but no object
 */
export function parseRawObject(text: string): RawObject {
  const { start } = scanDocument(text);
  if (text[start] !== "{") throw new JsonTypeError(text, { path: "" }, "map[string]interface {}");
  const members: RawMember[] = [];
  scanObject(text, start, 0, (keyStart, keyEnd, from, to) => {
    const keyText = text.slice(keyStart, keyEnd);
    members.push({ key: JSON.parse(keyText) as string, keyText, value: text.slice(from, to) });
  });
  return { members };
}

/** The JSON text of the last member named `key`, letter case included. */
export function memberText(object: RawObject, key: string): string | undefined {
  return object.members.findLast((member) => member.key === key)?.value;
}

/** Like `memberText` but without regard to letter case, as Go matches keys to struct fields. */
export function memberTextFold(object: RawObject, key: string): string | undefined {
  const folded = foldKey(key);
  return object.members.findLast((member) => foldKey(member.key) === folded)?.value;
}

/**
 * A copy in which `key` has the value `valueText`: in the place of its first member, or appended.
 * @throws {JsonSyntaxError} if `valueText` is no JSON
 */
export function withMember(object: RawObject, key: string, valueText: string): RawObject {
  scanDocument(valueText, 1);
  const member: RawMember = { key, keyText: JSON.stringify(key), value: valueText.trim() };
  const at = object.members.findIndex((other) => other.key === key);
  if (at < 0) return { members: [...object.members, member] };
  const rest = object.members.slice(at + 1).filter((other) => other.key !== key);
  return { members: [...object.members.slice(0, at), member, ...rest] };
}

/** A copy without the members whose key fulfils `predicate`. */
export function withoutMembers(object: RawObject, predicate: (key: string) => boolean): RawObject {
  return { members: object.members.filter((member) => !predicate(member.key)) };
}

/** JSON text with every key and value as it was read; only white space between members is lost. */
export function printRawObject(object: RawObject): string {
  return `{${object.members.map((member) => `${member.keyText}:${member.value}`).join(",")}}`;
}

/**
 * Checks that `text` is one JSON value.
 * @throws {JsonSyntaxError}
 */
export function assertJson(text: string): void {
  scanDocument(text);
}

/** Equal for two keys exactly if Go's `encoding/json` takes them for the same struct field. */
export function foldKey(key: string): string {
  // U+017F folds to `s`; the other odd one, the Kelvin sign, is lowered to `k` already.
  return key.toLowerCase().replaceAll("\u017f", "s");
}
