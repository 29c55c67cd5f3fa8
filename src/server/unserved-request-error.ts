/** Why a request reached no use case: HTTP itself was wrong about it. All are of class `malformed-request`. */
export type UnservedStatus = 400 | 404 | 405 | 408 | 413 | 414 | 431;

/** A request that no route takes as it is; the status is more exact than its class's own. */
export class UnservedRequestError extends Error {
  override readonly name = "UnservedRequestError";
  readonly status: UnservedStatus;
  /** Methods for the header `allow` of a 405. */
  readonly allow: readonly string[];

  constructor(status: UnservedStatus, message: string, allow: readonly string[] = [], cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.allow = allow;
  }
}
