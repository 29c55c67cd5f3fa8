import { scanArray, scanDocument } from "./json-scanner.ts";
import { JsonTypeError } from "./json-type-error.ts";

/**
 * The JSON texts of an array's elements, each exactly as written.
 * @throws {JsonSyntaxError} if `text` is no JSON
 * @throws {JsonTypeError} if it is JSON but no array
 */
export function parseRawArray(text: string): readonly string[] {
  const { start } = scanDocument(text);
  if (text[start] !== "[") throw new JsonTypeError(text, { path: "" }, "[]interface {}");
  const elements: string[] = [];
  scanArray(text, start, 0, (from, to) => elements.push(text.slice(from, to)));
  return elements;
}
