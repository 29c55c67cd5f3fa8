import { CniError, describeCniError } from "./cni-error.ts";
import { goQuote } from "./go-quote.ts";
import { pluginFailureOf } from "./plugin-failure-of.ts";

/** Which plugin of a list an error is about. */
export interface FailedPlugin {
  readonly index: number;
  /** The plugin's `type`. */
  readonly type: string;
  /** The plugin configuration's own name, mostly empty. */
  readonly name: string;
}

/**
 * ADD of a list failed. Code and details are those of `cause`, the first failure.
 * What was begun is not undone: run DEL for the whole list, or at least for `tried`.
 */
export class AddFailedError extends CniError {
  override readonly name = "AddFailedError";
  override readonly cause: CniError;
  /** Indexes of the plugins that were started, in order, the failed one included: these may have left something. */
  readonly tried: readonly number[];
  /** Absent where the list failed as a whole: names that are not valid, a result that cannot be cached. */
  readonly plugin: FailedPlugin | undefined;

  constructor(cause: CniError, tried: readonly number[], plugin?: FailedPlugin) {
    const message =
      plugin === undefined ? cause.message : `${describePlugin(plugin, "add")}: ${cause.message}`;
    super(message, { code: cause.code, ...detailsOf(cause) });
    this.cause = cause;
    this.tried = tried;
    this.plugin = plugin;
  }

  /** The plugin itself gave code, msg and details. */
  get fromPlugin(): boolean {
    return pluginFailureOf(this.cause)?.fromPlugin ?? false;
  }
}

/** DEL of a list stopped at a plugin. Code and details are those of `cause`. */
export class DeleteFailedError extends CniError {
  override readonly name = "DeleteFailedError";
  override readonly cause: CniError;
  readonly plugin: FailedPlugin;
  /** What was wrong with the cached result, so that the plugin had no prevResult; part of the message too. */
  readonly cacheProblem: string | undefined;

  constructor(cause: CniError, plugin: FailedPlugin, cacheProblem?: string) {
    const message = `${describePlugin(plugin, "delete")}: ${cause.message}`;
    const note = cacheProblem === undefined ? "" : ` (it had no prevResult: ${cacheProblem})`;
    super(message + note, { code: cause.code, ...detailsOf(cause) });
    this.cause = cause;
    this.plugin = plugin;
    this.cacheProblem = cacheProblem;
  }
}

/** Everything that failed while something else went on: GC, and validation of a list. */
export class CombinedError extends CniError {
  override readonly name = "CombinedError";
  readonly errors: readonly CniError[];

  /** The code is that of the first error; `message` says all. */
  constructor(message: string, errors: readonly CniError[]) {
    const code = errors[0]?.code;
    super(message, code === undefined ? {} : { code });
    this.errors = errors;
  }
}

/** A copy of `error` with `prefix` before its message, code and details kept, and `error` as its cause. */
export function prefixed(prefix: string, error: CniError): CniError {
  return new CniError(`${prefix}${error.message}`, { code: error.code, ...detailsOf(error), cause: error });
}

/** All messages, one a line. */
export function joinMessages(errors: readonly CniError[]): string {
  return errors.map(describeCniError).join("\n");
}

function detailsOf(error: CniError): { readonly details?: string } {
  return error.details === undefined ? {} : { details: error.details };
}

function describePlugin(plugin: FailedPlugin, action: "add" | "delete"): string {
  const name = plugin.name === "" ? "" : ` name=${goQuote(plugin.name)}`;
  return `plugin type=${goQuote(plugin.type)}${name} failed (${action})`;
}
