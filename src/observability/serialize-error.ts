/** What is logged of an error: its class, text, codes and causes, without anything that an operator wrote. */
export interface SerializedError {
  readonly type: string;
  readonly message: string;
  readonly code?: string | number;
  readonly failureClass?: string;
  readonly details?: string;
  readonly stack?: string;
  readonly cause?: SerializedError | string;
}

const maxCauses = 6;
const maxTextLength = 4096;

/**
 * Follows the chain of causes. The stack is left out where an error has a code of its own: those are expected, and
 * their place in our code tells nothing.
 */
export function serializeError(error: Error, depth = 0): SerializedError {
  const code = readCode(error);
  const failureClass = readText(error, "failureClass");
  const details = readText(error, "details");
  const expected = code !== undefined || failureClass !== undefined;
  return {
    type: shorten(error.name),
    message: withoutQuotedInput(error),
    ...(code === undefined ? {} : { code }),
    ...(failureClass === undefined ? {} : { failureClass }),
    ...(details === undefined ? {} : { details }),
    ...(expected || depth > 0 ? {} : { stack: stackFrames(error) }),
    ...(error.cause === undefined ? {} : { cause: serializeCause(error.cause, depth + 1) }),
  };
}

function serializeCause(cause: unknown, depth: number): SerializedError | string {
  if (depth > maxCauses) return "further causes left out";
  return cause instanceof Error ? serializeError(cause, depth) : typeof cause;
}

/** `JSON.parse` quotes a piece of what it read, and that may be a configuration. */
function withoutQuotedInput(error: Error): string {
  if (error.name !== "SyntaxError") return shorten(error.message);
  return shorten(error.message.replace(/"[\s\S]*" is not valid JSON/, "the input is not valid JSON"));
}

function stackFrames(error: Error): string {
  const frames = (error.stack ?? "").split("\n").filter((line) => line.startsWith("    at "));
  return shorten(frames.map((line) => line.trim()).join("\n"));
}

function readCode(error: Error): string | number | undefined {
  const code: unknown = Reflect.get(error, "code");
  return typeof code === "string" || typeof code === "number" ? code : undefined;
}

function readText(error: Error, key: string): string | undefined {
  const value: unknown = Reflect.get(error, key);
  return typeof value === "string" && value !== "" ? shorten(value) : undefined;
}

/** Cuts what a plugin may have made megabytes long. */
export function shorten(text: string): string {
  if (text.length <= maxTextLength) return text;
  return `${text.slice(0, maxTextLength)}… (${text.length} characters)`;
}
