import { assertJson, JsonSyntaxError } from "../cni/index.ts";
import { type ConfigProblem, wholeFile } from "./config-problem.ts";

export type ParsedText =
  | { readonly value: Readonly<Record<string, unknown>> }
  | { readonly problem: ConfigProblem };

/**
 * The text's JSON object; of keys that come twice the last one counts, as in Go. What is no JSON is reported with line
 * and column, but without a piece of the text, which `JSON.parse` would quote.
 */
export function parseConfigText(text: string): ParsedText {
  if (text.trim() === "") return refuse("is empty");
  if (text.startsWith("\uFEFF")) return refuse("begins with a byte order mark, which is no JSON");
  try {
    assertJson(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return refuse(`is no JSON at ${error.describePosition()}: ${error.message}`);
  }
  const value: unknown = JSON.parse(text);
  return isObject(value) ? { value } : refuse("must be a JSON object");
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function refuse(message: string): ParsedText {
  return { problem: { path: wholeFile, message } };
}
