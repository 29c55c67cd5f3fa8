import { CniCode } from "./cni-code.ts";
import { CniError } from "./cni-error.ts";
import { goQuote } from "./go-quote.ts";

/** A result that cannot be read, or that has nothing which the wanted version could hold (code 6). */
export class InvalidResultError extends CniError {
  override readonly name = "InvalidResultError";

  constructor(message: string, facts: { readonly details?: string; readonly cause?: unknown } = {}) {
    super(message, { ...facts, code: CniCode.DecodingFailure });
  }
}

/** A CNI version that is none, that this library does not know, or that lacks the verb (code 1). */
export class UnsupportedVersionError extends CniError {
  override readonly name: string = "UnsupportedVersionError";

  constructor(message: string, facts: { readonly details?: string; readonly cause?: unknown } = {}) {
    super(message, { ...facts, code: CniCode.IncompatibleVersion });
  }
}

/** CHECK of a list whose version has none (libcni `ErrorCheckNotSupp`). */
export class CheckNotSupportedError extends UnsupportedVersionError {
  override readonly name: string = "CheckNotSupportedError";

  constructor(version: string) {
    super(`configuration version ${goQuote(version)} does not support the CHECK command`);
  }
}
