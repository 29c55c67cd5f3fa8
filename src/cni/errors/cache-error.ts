import { CniCode } from "./cni-code.ts";
import { CniError } from "./cni-error.ts";

/** The result cache could not be read or written, or holds no usable record where one is needed (code 5). */
export class ResultCacheError extends CniError {
  override readonly name = "ResultCacheError";

  constructor(message: string, facts: { readonly details?: string; readonly cause?: unknown } = {}) {
    super(message, { ...facts, code: CniCode.IoFailure });
  }
}
