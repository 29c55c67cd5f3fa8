import { excerpt } from "./excerpt.ts";

const named: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};

/** `text`, or its beginning, in double quotes with everything unprintable escaped, as Go's `%q` does it: never more than one line. */
export function goQuote(text: string): string {
  const escaped = excerpt(text)
    .toWellFormed()
    .replace(/["\\]|(?! )[\p{C}\p{Z}]/gu, (character) => {
      const name = named[character];
      if (name !== undefined) return name;
      const code = character.codePointAt(0) ?? 0;
      if (code < 0x80) return `\\x${code.toString(16).padStart(2, "0")}`;
      if (code < 0x10000) return `\\u${code.toString(16).padStart(4, "0")}`;
      return `\\U${code.toString(16).padStart(8, "0")}`;
    });
  return `"${escaped}"`;
}
