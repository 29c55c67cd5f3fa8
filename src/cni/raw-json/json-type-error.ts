import { jsonKind } from "./json-kind.ts";

/** Where a value stands in the Go struct that libcni would read it into. */
export interface JsonPlace {
  /** Name of the innermost struct; absent for a whole document. */
  readonly struct?: string;
  /** Keys from the top, joined by dots. */
  readonly path: string;
  /** Values inside keep this place: what Go does below a type with an `UnmarshalJSON` of its own. */
  readonly fixed?: boolean;
}

const integerTypes = new Set(["int", "uint"]);

/** Valid JSON of the wrong type. The message is in the words of Go's `encoding/json`. */
export class JsonTypeError extends Error {
  override readonly name = "JsonTypeError";
  /** Keys from the top, joined by dots; empty for the document itself. */
  readonly path: string;

  /** `goType` is the type that was wanted; a number that is no such integer is quoted, other values are not. */
  constructor(text: string, place: JsonPlace, goType: string) {
    const kind = jsonKind(text);
    const what = kind === "number" && integerTypes.has(goType) ? `number ${text.slice(0, 40)}` : kind;
    const where = place.struct === undefined ? "Go value" : `Go struct field ${place.struct}.${place.path}`;
    super(`json: cannot unmarshal ${what} into ${where} of type ${goType}`);
    this.path = place.path;
  }
}
