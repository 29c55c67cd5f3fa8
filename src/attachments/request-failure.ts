import { CniCode, CniError, PluginFailedError, ResultCacheError } from "../cni/index.ts";
import { DeadlineExceededError } from "../foundation/deadline.ts";
import { formatDuration } from "../foundation/duration.ts";
import { Failure } from "./failure.ts";
import { SupersededByDeleteError } from "./sandbox-turns.ts";
import type { DomainSettings } from "./settings.ts";

interface FailedDelegate {
  readonly network: string;
  readonly interface: string;
}

/** What was done about it, for the end of an ADD's text. */
const undone = "; what was attached is undone";

/** Names what ended a request that ran plugins. What is a `Failure` already stays as it is. */
export function requestFailure(error: unknown, limitText: string, at?: FailedDelegate, next = ""): unknown {
  if (error instanceof DeadlineExceededError) {
    return new Failure(
      "deadline-exceeded",
      `not done within its time (${limitText})${next}; the runtime tries again`,
      {
        cause: error,
      },
    );
  }
  return error instanceof CniError ? delegateFailure(error, at, next) : error;
}

/** Names what ended an ADD. What is a `Failure` already stays as it is. */
export function addFailure(error: unknown, settings: DomainSettings, at?: FailedDelegate): unknown {
  if (error instanceof SupersededByDeleteError) {
    return new Failure("not-ready", `ADD was given up: ${error.message}${undone}`, { cause: error });
  }
  return requestFailure(error, `timeouts.add is ${formatDuration(settings.timeouts.addMs)}`, at, undone);
}

function delegateFailure(error: CniError, at: FailedDelegate | undefined, next: string): Failure {
  const facts = { cause: error, ...(error.details === undefined ? {} : { details: error.details }) };
  const where = at === undefined ? "" : `network "${at.network}" (interface ${at.interface}): `;
  if (isTimeout(error)) return new Failure("deadline-exceeded", `${where}${error.message}${next}`, facts);
  if (causes(error).some((cause) => cause instanceof ResultCacheError)) {
    return new Failure("storage-failed", `${where}${error.message}${next}`, facts);
  }
  const code = error.code === CniCode.Unknown ? {} : { code: error.code };
  return new Failure("delegate-failed", `${where}${error.message}${next}`, { ...facts, ...code });
}

/** True if a plugin was ended because its time was over, or not started since there was none left. */
export function isTimeout(error: unknown): boolean {
  return causes(error).some(
    (cause) => cause instanceof PluginFailedError && (cause.kind === "timed-out" || cause.kind === "no-time"),
  );
}

/** The error and what it wraps, outermost first; bounded, since a chain may come back to itself. */
function causes(error: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let next = error; next instanceof Error && chain.length < 16; next = next.cause) chain.push(next);
  return chain;
}
