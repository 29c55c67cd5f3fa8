import { Failure, type FailureClass } from "../attachments/failure.ts";
import type { CniCommand } from "../attachments/invocation.ts";
import { keepOutOfRuntimeWording } from "../attachments/runtime-wording.ts";
import { CniError } from "../cni/index.ts";
import { DeadlineExceededError } from "../foundation/deadline.ts";
import { CallerGoneError } from "./caller-signal.ts";
import type { CniErrorBody } from "./cni-error-body.ts";
import { failureTable } from "./failure-table.ts";
import { UnservedRequestError } from "./unserved-request-error.ts";

/** What an error's text depends on beside the error itself. */
export interface ReplyContext {
  readonly requestId: string;
  /**
   * `operator` where no runtime is asking. `undefined` where it could not be read: the text then suits a DEL, the
   * strictest of them.
   */
  readonly command: CniCommand | "operator" | undefined;
  readonly containerId: string;
  /** Version that the caller's configuration asks for. */
  readonly cniVersion: string;
}

export interface ErrorReply {
  readonly failureClass: FailureClass;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: CniErrorBody;
}

/** What every kind of error is reduced to before it becomes HTTP. */
interface Findings {
  readonly failureClass: FailureClass;
  readonly message: string;
  readonly details?: string | undefined;
  readonly code?: number | undefined;
  readonly status?: number;
  readonly retryAfterSeconds?: number | undefined;
  readonly allow?: readonly string[];
}

/** A plugin may print megabytes; an event holds a kilobyte. In characters. */
const maxTextLength = 32_768;

/** The one place where an error becomes HTTP. Never a stack, never an unknown error's own text. */
export function toErrorReply(error: unknown, context: ReplyContext): ErrorReply {
  const findings = examine(error, context);
  const row = failureTable[findings.failureClass];
  const retryAfter = findings.retryAfterSeconds ?? row.retryAfterSeconds;
  const headers: Record<string, string> = { "x-multusd-failure": findings.failureClass };
  if (retryAfter !== undefined) headers["retry-after"] = String(Math.max(1, Math.ceil(retryAfter)));
  if (findings.allow !== undefined) headers["allow"] = findings.allow.join(", ");
  const defaultCode = context.command === "STATUS" ? (row.codeForStatus ?? row.code) : row.code;
  return {
    failureClass: findings.failureClass,
    status: findings.status ?? row.status,
    headers,
    // 0 is what libcni makes of an error without a code: no code that a runtime could act on.
    body: toBody(findings, findings.code || defaultCode, context),
  };
}

/** The CNI code that a runtime gets for this error, for counters. */
export function failureCode(error: unknown, command: CniCommand): number {
  return toErrorReply(error, { requestId: "", command, containerId: "", cniVersion: "" }).body.code;
}

function examine(error: unknown, context: ReplyContext): Findings {
  if (error instanceof Failure) return error;
  if (error instanceof CniError) {
    const { message, details, code } = error;
    return { failureClass: "delegate-failed", message, details, code };
  }
  if (error instanceof UnservedRequestError) {
    const { message, status, allow } = error;
    const findings: Findings = { failureClass: "malformed-request", message, status };
    return allow.length === 0 ? findings : { ...findings, allow };
  }
  if (error instanceof DeadlineExceededError) {
    const message = "the time that the caller gave was over before the request was done";
    return { failureClass: "deadline-exceeded", message };
  }
  if (error instanceof CallerGoneError) return { failureClass: "deadline-exceeded", message: error.message };
  return {
    failureClass: "internal",
    message: "multusd failed in a way that nobody foresaw; its log has the cause",
    details: whereToLook(context),
  };
}

/** By container for a DEL, whose text must not change from one try to the next; else by request. */
function whereToLook(context: ReplyContext): string {
  if (mayNameRequest(context)) return "look for the request ID in the log of multusd on this node";
  if (context.containerId === "") return "look at the log of multusd on this node";
  return `look for container ${context.containerId} in the log of multusd on this node`;
}

function toBody(findings: Findings, code: number, context: ReplyContext): CniErrorBody {
  const { cniVersion, requestId } = context;
  const msg = cut(findings.message);
  const details = findings.details === undefined ? "" : cut(findings.details);
  if (mayNameRequest(context)) {
    const request = `request ${requestId}`;
    return { cniVersion, code, msg, details: details === "" ? request : `${details}; ${request}` };
  }
  const body = { cniVersion, code, msg: keepOutOfRuntimeWording(msg) };
  return details === "" ? body : { ...body, details: keepOutOfRuntimeWording(details) };
}

/** A DEL's repeated failure is the same text byte for byte, so that the kubelet's event counts up. */
function mayNameRequest(context: ReplyContext): boolean {
  return context.command !== undefined && context.command !== "DEL";
}

/** Bounded, and free of lone surrogates: a plugin's text may hold one, and a strict JSON reader refuses its escape. */
function cut(text: string): string {
  const kept = text.length <= maxTextLength ? text : `${text.slice(0, maxTextLength)}…`;
  return kept.toWellFormed();
}
