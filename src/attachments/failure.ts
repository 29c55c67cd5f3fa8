/**
 * Why a request of a runtime or an operator fails. The class decides HTTP status and default CNI code
 * (`server/failure-table.ts`); the text is for the person who reads the pod's event.
 */
export const failureClasses = [
  "malformed-request",
  "invalid-configuration",
  "network-forbidden",
  "network-missing",
  "pod-mismatch",
  "device-busy",
  "too-busy",
  "delegate-failed",
  "not-ready",
  "deadline-exceeded",
  "storage-failed",
  "internal",
] as const;

export type FailureClass = (typeof failureClasses)[number];

export interface FailureFacts {
  /** CNI code when it is not the class's default: a plugin's own code, or 4/6/1 of a malformed request. */
  readonly code?: number;
  /** What helps further: where, searched what, plugin's details. Never configuration or a secret. */
  readonly details?: string;
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

/** A failure with a name. `message` says which network and plugin, what happened and what happens next. */
export class Failure extends Error {
  readonly failureClass: FailureClass;
  readonly code: number | undefined;
  readonly details: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(failureClass: FailureClass, message: string, facts: FailureFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = "Failure";
    this.failureClass = failureClass;
    this.code = facts.code;
    this.details = facts.details;
    this.retryAfterSeconds = facts.retryAfterSeconds;
  }
}
