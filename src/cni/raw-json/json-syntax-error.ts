/** A text that is no JSON. The message is in the words of Go's `encoding/json`; the position is in the fields. */
export class JsonSyntaxError extends Error {
  override readonly name = "JsonSyntaxError";
  /** UTF-16 offset of the character that cannot be there, or the length of the text. */
  readonly offset: number;
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;

  constructor(message: string, text: string, offset: number) {
    super(message);
    const lineStart = text.lastIndexOf("\n", offset - 1) + 1;
    this.offset = offset;
    this.line = countNewlines(text, lineStart) + 1;
    this.column = offset - lineStart + 1;
  }

  /** Such as `line 3, column 7`. */
  describePosition(): string {
    return `line ${this.line}, column ${this.column}`;
  }
}

function countNewlines(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}
