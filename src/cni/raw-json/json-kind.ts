export type JsonKind = "object" | "array" | "string" | "number" | "bool" | "null";

/** Kind of a value, from its text, which must be JSON. */
export function jsonKind(text: string): JsonKind {
  switch (text.trimStart()[0]) {
    case "{":
      return "object";
    case "[":
      return "array";
    case '"':
      return "string";
    case "t":
    case "f":
      return "bool";
    case "n":
      return "null";
    default:
      return "number";
  }
}

const goTypes: Readonly<Record<JsonKind, string>> = {
  object: "map[string]interface {}",
  array: "[]interface {}",
  string: "string",
  number: "float64",
  bool: "bool",
  null: "<nil>",
};

/** The Go type that a value of this text becomes in an `interface{}`: what libcni's error texts print. */
export function goTypeOf(text: string): string {
  return goTypes[jsonKind(text)];
}
