import { decodeString, decodeStruct, decodeUnsigned, documentPlace } from "../decoding/decode.ts";
import { assertJson } from "../raw-json/raw-object.ts";

export interface ErrorObject {
  readonly code: number;
  readonly msg: string;
  readonly details: string;
}

/**
 * Reads the error object of a plugin that failed; `null` and missing keys give an empty one.
 * @throws {JsonSyntaxError}
 * @throws {JsonTypeError}
 * @see SPEC.md §5 "Error"; libcni `types.Error`
 */
export function parseErrorObject(stdout: string): ErrorObject {
  let code = 0;
  let msg = "";
  let details = "";
  assertJson(stdout);
  decodeStruct(stdout, documentPlace, "types.Error", {
    code: (value, place) => {
      code = decodeUnsigned(value, place);
    },
    msg: (value, place) => {
      msg = decodeString(value, place);
    },
    details: (value, place) => {
      details = decodeString(value, place);
    },
  });
  return { code, msg, details };
}
