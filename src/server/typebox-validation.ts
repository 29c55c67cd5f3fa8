import type { FastifySchemaValidationError } from "fastify";
import type { TSchema } from "typebox";
import { Check, Errors } from "typebox/schema";

/** What Fastify makes of a check: the value as it goes on, or what is wrong with it. */
type Checked = { readonly value: unknown } | { readonly error: FastifySchemaValidationError[] };

/**
 * Validates with TypeBox as the request is: Fastify's stock validator would coerce values and drop keys. Interpreted,
 * not compiled: bodies are small, and the compiler costs 4 MB of memory at load.
 */
export function typeboxValidator({ schema }: { readonly schema: unknown }): (value: unknown) => Checked {
  // All schemas of our routes are TypeBox's.
  const checked = schema as TSchema;
  return (value) => {
    if (Check(checked, value)) return { value };
    const [, errors] = Errors(checked, value);
    return { error: errors.slice(0, maxReported) };
  };
}

const maxReported = 5;

/** Response schemas describe, they do not filter: what a view holds is what is sent. */
export function jsonSerializer(): (value: unknown) => string {
  return (value) => JSON.stringify(value);
}
