import { InvalidNetworkConfigError } from "../errors/configuration-errors.ts";
import { goQuote } from "../errors/go-quote.ts";
import { scanDocument } from "../raw-json/json-scanner.ts";
import { JsonSyntaxError } from "../raw-json/json-syntax-error.ts";

/** Why the text cannot be an argument of that capability, if it cannot: it is no JSON. */
export function argumentProblem(capability: string, argument: string): InvalidNetworkConfigError | undefined {
  try {
    // As deep as it may be inside runtimeConfig, and in a cache record.
    scanDocument(argument, 2);
    return undefined;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    const message = `argument of capability ${goQuote(capability)} is no JSON: ${error.message}`;
    return new InvalidNetworkConfigError(message, { cause: error });
  }
}
