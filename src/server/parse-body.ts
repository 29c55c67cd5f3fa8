import { UnservedRequestError } from "./unserved-request-error.ts";

interface ReviverContext {
  /** The text of a primitive value as it was written. */
  readonly source?: string;
}
type ParseWithSource = (
  text: string,
  reviver: (key: string, value: unknown, context: ReviverContext) => unknown,
) => unknown;
interface SourceJson {
  readonly parse: ParseWithSource;
  readonly rawJSON: (text: string) => unknown;
}
/** Node 24 has the source text of values (TC39 "JSON.parse source text access"); the library types do not yet. */
const sourceJson = JSON as unknown as SourceJson;

/**
 * A request's body, whatever content type it claims: upstream's shim sends none with its probes. A number that a double
 * would change stays as it was written when the value is printed again.
 * @throws {UnservedRequestError} 400 if it is no JSON; its text quotes nothing of the body, which holds configurations
 */
export function parseBody(text: string): unknown {
  if (text === "") return undefined;
  try {
    return mayHoldOddNumber.test(text) ? sourceJson.parse(text, keepNumber) : JSON.parse(text);
  } catch (cause) {
    const position = /at position (\d+)/.exec(cause instanceof Error ? cause.message : "")?.[1];
    const where = position === undefined ? "" : ` (from position ${position} on)`;
    throw new UnservedRequestError(400, `the request's body is no JSON${where}; nothing was done`);
  }
}

/**
 * A number that a double may change: a fraction, an exponent, sixteen digits. Asking for the source of every value
 * makes parsing several times slower, and the body of a CNI request holds texts alone.
 */
const mayHoldOddNumber = /[:[,]\s*(?:-0\b|-?\d+(?:[.eE]|(?<=\d{16})))/;

function keepNumber(_key: string, value: unknown, { source }: ReviverContext): unknown {
  if (typeof value !== "number" || source === undefined || String(value) === source) return value;
  return sourceJson.rawJSON(source);
}
