/** `multus-host` has gone, does not answer or was stopped: what was asked of it gets no answer. */
export class HostLostError extends Error {
  override readonly name = "HostLostError";

  constructor(why: string, cause?: unknown) {
    super(`multus-host ${why}`, cause === undefined ? undefined : { cause });
  }
}

/** `multus-host` said something that docs/multus-host.md does not know. */
export class HostProtocolError extends Error {
  override readonly name = "HostProtocolError";
}

/** `multus-host` could not do what was asked; `code` is the errno's name. */
export class HostCallError extends Error {
  override readonly name = "HostCallError";
  readonly code: string;

  constructor(operation: string, code: string, text: string) {
    super(`${operation}: ${text}`);
    this.code = code;
  }
}
