/** A number as it was written: `1.0` is not `1`. */
export class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Json = null | boolean | string | NumberText | readonly Json[] | { readonly [key: string]: Json };

/** The types of ES2024 do not know of the third parameter. */
type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown;

const revive: Reviver = (_key, value, context) => {
  if (typeof value === "number") return new NumberText(context?.source ?? String(value));
  return typeof value === "string" ? value.toWellFormed() : value;
};

/**
 * JSON with its numbers as text, and texts as Go reads them (no lone surrogates).
 * @throws {SyntaxError}
 */
export function parseJson(text: string): Json {
  return JSON.parse(text, revive) as Json;
}

/** Like `parseJson`; `undefined` for what is none. */
export function tryParseJson(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

export function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof NumberText)
  );
}

/** What is left of a value that went through Go's `interface{}`: its numbers are float64. */
export function throughFloat64(value: Json): Json {
  if (value instanceof NumberText) return new NumberText(printFloat64(Number(value.text)));
  if (Array.isArray(value)) return value.map(throughFloat64);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, throughFloat64(inner)]));
}

/** Go prints float64 as JavaScript does, but keeps the sign of zero. */
function printFloat64(value: number): string {
  return Object.is(value, -0) ? "-0" : String(value);
}

/** JSON text for people. */
export function printJson(value: Json | undefined): string {
  if (value === undefined) return "(absent)";
  if (value instanceof NumberText) return value.text;
  if (Array.isArray(value)) return `[${value.map(printJson).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}:${printJson(inner)}`);
  return `{${members.join(",")}}`;
}
