import { isIP } from "node:net";
import { Type } from "typebox";
import { DurationFormatError, parseDurationMs } from "../foundation/duration.ts";

/** What the reference in `docs/configuration.md` says of a key beside its type. */
export interface FieldFacts {
  readonly description: string;
  /** JSON value that stands in for an absent key, as written in the file. */
  readonly default?: unknown;
  /** The default in words, where it is no fixed value. */
  readonly defaultText?: string;
  /** Why the key is read and checked, but changes nothing. */
  readonly inactive?: string;
}

/** `inactive` of keys that mean nothing here. */
export const notUsed = "multusd has no use for it";

/** Longest time that is accepted anywhere: a longer timer would fire at once (2^31 - 1 ms). */
const maxTimerDays = 24;

export function text(facts: FieldFacts) {
  return Type.String({ ...facts, maxLength: 4096 });
}

export function flag(facts: FieldFacts) {
  return Type.Boolean({ ...facts });
}

export function count(min: number, max: number, facts: FieldFacts) {
  return Type.Integer({ ...facts, minimum: min, maximum: max });
}

export function choice<const T extends readonly string[]>(choices: T, facts: FieldFacts) {
  return Type.Unsafe<T[number]>({ ...facts, type: "string", enum: [...choices] });
}

export function texts(facts: FieldFacts) {
  return Type.Array(Type.String({ maxLength: 4096 }), { ...facts });
}

/** An object that multusd hands on or does not act on: only its being an object is checked. */
export function anyObject(facts: FieldFacts) {
  return Type.Unsafe<Readonly<Record<string, unknown>>>({ ...facts, type: "object" });
}

/**
 * A value that JSON schema cannot describe in a sentence of ours. `form` is its type in the reference; `problemOf`
 * returns the end of a sentence that begins with the key.
 */
export function checked<T>(
  form: string,
  problemOf: (value: unknown) => string | undefined,
  facts: FieldFacts,
) {
  return Type.Refine(
    Type.Unsafe<T>({ ...facts, form }),
    (value: unknown) => problemOf(value) === undefined,
    (value: unknown) => problemOf(value) ?? "",
  );
}

export function duration(facts: FieldFacts, maxDays = maxTimerDays) {
  return checked<string>("duration", (value) => durationProblem(value, maxDays), facts);
}

export function absolutePath(facts: FieldFacts) {
  return checked<string>("absolute path", pathProblem, facts);
}

/** `auto`, or a whole number from 1. */
export function autoOrCount(max: number, facts: FieldFacts) {
  const fits = (value: unknown) =>
    value === "auto" || (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= max);
  const problemOf = (value: unknown) =>
    fits(value) ? undefined : `must be "auto" or a whole number from 1 to ${max}`;
  return checked<"auto" | number>("`auto` or integer", problemOf, facts);
}

export function pathProblem(value: unknown): string | undefined {
  const fits =
    typeof value === "string" && value.startsWith("/") && value.length <= 4096 && !value.includes("\0");
  return fits ? undefined : "must be an absolute path";
}

function durationProblem(value: unknown, maxDays: number): string | undefined {
  const timeMs = typeof value === "string" ? tryDuration(value) : undefined;
  if (timeMs === undefined) return 'must be a duration such as "90s" or "10m"';
  if (timeMs === 0) return "must be longer than zero";
  return timeMs <= maxDays * 86_400_000 ? undefined : `must not be longer than ${maxDays}d`;
}

function tryDuration(value: string): number | undefined {
  try {
    return parseDurationMs(value);
  } catch (error) {
    if (error instanceof DurationFormatError) return undefined;
    throw error;
  }
}

/** A TCP address to listen on; without a host: all of them. */
export interface ListenAddress {
  readonly host?: string;
  readonly port: number;
}

/** Reads `host:port`, `[v6]:port` or `:port`; `undefined` if it is none of them. A host is an IP address or `localhost`. */
export function parseListenAddress(value: string): ListenAddress | undefined {
  const [, v6, plain = "", digits = ""] = /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d{1,5})$/.exec(value) ?? [];
  const port = Number(digits);
  if (digits === "" || port > 65_535) return undefined;
  if (v6 !== undefined) return isIP(v6) === 6 ? { host: v6, port } : undefined;
  if (plain === "") return { port };
  return isIP(plain) === 4 || plain === "localhost" ? { host: plain, port } : undefined;
}
