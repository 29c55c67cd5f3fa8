import { CniError } from "../errors/cni-error.ts";
import { InvalidNetworkConfigError } from "../errors/configuration-errors.ts";
import { JsonSyntaxError } from "../raw-json/json-syntax-error.ts";
import { JsonTypeError } from "../raw-json/json-type-error.ts";

/** What a reader of configurations throws: `what: reason` in libcni's words, the position in the details. */
export function configurationError(what: string, error: unknown): CniError {
  if (error instanceof CniError) return error;
  if (error instanceof JsonSyntaxError) {
    return new InvalidNetworkConfigError(`${what}: ${error.message}`, {
      details: error.describePosition(),
      cause: error,
    });
  }
  if (error instanceof JsonTypeError) {
    return new InvalidNetworkConfigError(`${what}: ${error.message}`, { cause: error });
  }
  throw error;
}

/** A copy of `error` whose details name the file. */
export function inFile(file: string, error: CniError): InvalidNetworkConfigError {
  const details = error.details === undefined ? `in ${file}` : `in ${file}: ${error.details}`;
  return new InvalidNetworkConfigError(error.message, { details, cause: error });
}
