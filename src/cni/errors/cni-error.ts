import { CniCode } from "./cni-code.ts";

export interface CniErrorFacts {
  /** Default 0, which libcni uses for everything that it finds out itself. */
  readonly code?: number;
  readonly details?: string;
  readonly cause?: unknown;
}

/** A CNI error object (SPEC.md §5 "Error", libcni `types.Error`); `message` is its `msg`. */
export class CniError extends Error {
  override readonly name: string = "CniError";
  readonly code: number;
  readonly details: string | undefined;

  constructor(message: string, facts: CniErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = facts.code ?? CniCode.Unknown;
    this.details = facts.details;
  }
}

/** The error in one line, as Go prints it: `msg`, then `; details` if there are any. */
export function describeCniError(error: CniError): string {
  return error.details ? `${error.message}; ${error.details}` : error.message;
}

/** The error itself, or an internal error (code 999) around whatever else was thrown. */
export function asCniError(error: unknown): CniError {
  if (error instanceof CniError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new CniError(message, { code: CniCode.Internal, cause: error });
}
