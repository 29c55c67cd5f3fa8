import { UnservedRequestError, type UnservedStatus } from "./unserved-request-error.ts";

/** What Fastify puts on the errors of its own. */
interface FrameworkError {
  readonly code?: unknown;
  readonly statusCode?: unknown;
  readonly validation?: unknown;
  readonly message: string;
}

const statusByCode: Readonly<Record<string, readonly [UnservedStatus, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [413, "the request's body is longer than 1 MiB"],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [400, "the request's body is not as long as its header says"],
  FST_ERR_CTP_EMPTY_JSON_BODY: [400, "the request has no body"],
  FST_ERR_BAD_URL: [400, "the request's path cannot be decoded"],
  FST_ERR_MAX_PARAM_LENGTH: [414, "the request's path is too long"],
  ECONNRESET: [400, "the request was cut off"],
};

/** Fastify's own errors and those of a schema as one of ours; everything else as it is. */
export function fromFrameworkError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code, statusCode, validation, message } = error as FrameworkError;
  if (Array.isArray(validation)) return new UnservedRequestError(400, message, [], error);
  const known = typeof code === "string" ? statusByCode[code] : undefined;
  if (known !== undefined) return new UnservedRequestError(...known, [], error);
  const isCallersFault = typeof statusCode === "number" && statusCode >= 400 && statusCode < 500;
  if (isCallersFault && error.name !== "UnservedRequestError") {
    return new UnservedRequestError(400, "the request is no HTTP that this server understands", [], error);
  }
  return error;
}
