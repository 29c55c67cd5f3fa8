import { goQuote } from "../errors/go-quote.ts";
import { JsonSyntaxError } from "./json-syntax-error.ts";

/** Deeper nesting is refused, so that no input can exhaust the stack. Go's own bound is 10000. */
const maxJsonDepth = 1000;

/** Called with the span of each array element. */
export type VisitElement = (start: number, end: number) => void;
/** Called with the spans of a member's key (quotes included) and value. */
export type VisitMember = (keyStart: number, keyEnd: number, start: number, end: number) => void;

/**
 * Checks that `text` is one JSON value and nothing else (RFC 8259), and returns where that value begins and ends.
 * @throws {JsonSyntaxError}
 */
export function scanDocument(text: string, depth = 0): { readonly start: number; readonly end: number } {
  const start = skipSpace(text, 0);
  const end = scanValue(text, start, depth);
  const rest = skipSpace(text, end);
  if (rest < text.length) throw unexpected(text, rest, "after top-level value");
  return { start, end };
}

/** Scans the value that begins at `at` and returns where it ends. */
function scanValue(text: string, at: number, depth: number): number {
  switch (text[at]) {
    case "{":
      return scanObject(text, at, depth);
    case "[":
      return scanArray(text, at, depth);
    case '"':
      return scanString(text, at);
    case "t":
      return scanLiteral(text, at, "true");
    case "f":
      return scanLiteral(text, at, "false");
    case "n":
      return scanLiteral(text, at, "null");
    default:
      return scanNumber(text, at);
  }
}

/** Scans the object whose brace is at `at`, and returns where it ends. */
export function scanObject(text: string, at: number, depth: number, visit?: VisitMember): number {
  if (depth >= maxJsonDepth) throw new JsonSyntaxError("exceeded max depth", text, at);
  let next = skipSpace(text, at + 1);
  if (text[next] === "}") return next + 1;
  for (;;) {
    if (text[next] !== '"') throw unexpected(text, next, "looking for beginning of object key string");
    const keyStart = next;
    const keyEnd = scanString(text, keyStart);
    next = skipSpace(text, keyEnd);
    if (text[next] !== ":") throw unexpected(text, next, "after object key");
    const start = skipSpace(text, next + 1);
    const end = scanValue(text, start, depth + 1);
    visit?.(keyStart, keyEnd, start, end);
    next = skipSpace(text, end);
    if (text[next] === "}") return next + 1;
    if (text[next] !== ",") throw unexpected(text, next, "after object key:value pair");
    next = skipSpace(text, next + 1);
  }
}

/** Scans the array whose bracket is at `at`, and returns where it ends. */
export function scanArray(text: string, at: number, depth: number, visit?: VisitElement): number {
  if (depth >= maxJsonDepth) throw new JsonSyntaxError("exceeded max depth", text, at);
  let next = skipSpace(text, at + 1);
  if (text[next] === "]") return next + 1;
  for (;;) {
    const end = scanValue(text, next, depth + 1);
    visit?.(next, end);
    next = skipSpace(text, end);
    if (text[next] === "]") return next + 1;
    if (text[next] !== ",") throw unexpected(text, next, "after array element");
    next = skipSpace(text, next + 1);
  }
}

function skipSpace(text: string, from: number): number {
  let at = from;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at;
    at += 1;
  }
}

function scanString(text: string, at: number): number {
  for (let next = at + 1; ; next += 1) {
    const code = text.charCodeAt(next);
    if (code === 0x22) return next + 1;
    if (code === 0x5c) next = scanEscape(text, next + 1);
    else if (code < 0x20 || next >= text.length) throw unexpected(text, next, "in string literal");
  }
}

/** `at` is the character after the backslash; returns the escape's last character. */
function scanEscape(text: string, at: number): number {
  const kind = text[at];
  if (kind === undefined || !'"\\/bfnrtu'.includes(kind)) throw broken(text, at, "in string escape code");
  if (kind !== "u") return at;
  for (let digit = at + 1; digit <= at + 4; digit += 1) {
    if (!/^[0-9a-fA-F]$/.test(text[digit] ?? "")) {
      throw broken(text, digit, "in \\u hexadecimal character escape");
    }
  }
  return at + 4;
}

function scanLiteral(text: string, at: number, word: string): number {
  for (let index = 1; index < word.length; index += 1) {
    if (text[at + index] !== word[index]) {
      throw broken(text, at + index, `in literal ${word} (expecting '${word[index]}')`);
    }
  }
  return at + word.length;
}

function scanNumber(text: string, at: number): number {
  let next = at;
  if (text[next] === "-") next += 1;
  if (!isDigit(text, next)) {
    if (next > at) throw broken(text, next, "in numeric literal");
    throw unexpected(text, next, "looking for beginning of value");
  }
  next = text[next] === "0" ? next + 1 : skipDigits(text, next);
  if (text[next] === ".") {
    if (!isDigit(text, next + 1)) throw broken(text, next + 1, "after decimal point in numeric literal");
    next = skipDigits(text, next + 1);
  }
  if (text[next] === "e" || text[next] === "E") {
    next += text[next + 1] === "+" || text[next + 1] === "-" ? 2 : 1;
    if (!isDigit(text, next)) throw broken(text, next, "in exponent of numeric literal");
    next = skipDigits(text, next);
  }
  return next;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
}

function skipDigits(text: string, from: number): number {
  let at = from;
  while (isDigit(text, at)) at += 1;
  return at;
}

function unexpected(text: string, at: number, context: string): JsonSyntaxError {
  const codePoint = text.codePointAt(at);
  if (codePoint === undefined) return new JsonSyntaxError("unexpected end of JSON input", text, text.length);
  return new JsonSyntaxError(`invalid character ${quoteCharacter(codePoint)} ${context}`, text, at);
}

/** Inside a word, a number or an escape, Go takes the end of the text for a blank that cannot be there. */
function broken(text: string, at: number, context: string): JsonSyntaxError {
  if (at < text.length) return unexpected(text, at, context);
  return new JsonSyntaxError(`invalid character ' ' ${context}`, text, text.length);
}

/** Go names a byte, so of a character beyond ASCII the first byte of its UTF-8. */
function quoteCharacter(codePoint: number): string {
  const byte = Buffer.from(String.fromCodePoint(codePoint))[0] ?? 0;
  const character = String.fromCharCode(byte);
  if (character === "'") return "'\\''";
  if (character === '"') return "'\"'";
  return `'${goQuote(character).slice(1, -1)}'`;
}
