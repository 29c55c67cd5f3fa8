import { CniCode } from "./cni-code.ts";
import { CniError } from "./cni-error.ts";

/** A container ID, interface name or other variable that no plugin may get (code 4; a missing container ID is 3). */
export class InvalidEnvironmentError extends CniError {
  override readonly name = "InvalidEnvironmentError";

  constructor(message: string, facts: { readonly code?: number; readonly details?: string } = {}) {
    super(message, { code: CniCode.InvalidEnvironment, ...facts });
  }
}
