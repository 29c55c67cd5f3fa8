import { CniCode } from "./cni-code.ts";
import { CniError, describeCniError } from "./cni-error.ts";
import { goQuote } from "./go-quote.ts";

/** A network configuration list, plugin configuration or name that cannot be used (code 7). */
export class InvalidNetworkConfigError extends CniError {
  override readonly name: string = "InvalidNetworkConfigError";

  constructor(message: string, facts: { readonly details?: string; readonly cause?: unknown } = {}) {
    super(message, { ...facts, code: CniCode.InvalidNetworkConfig });
  }
}

/** A configuration file that could not be used while a network was looked for. */
export interface UnusableFile {
  readonly file: string;
  readonly error: CniError;
}

/** The directory has configurations but none of this name (libcni `NotFoundError`). */
export class NetworkListNotFoundError extends InvalidNetworkConfigError {
  override readonly name: string = "NetworkListNotFoundError";
  /** Files that were skipped since they cannot be used: the one that was wanted may be among them. */
  readonly unusable: readonly UnusableFile[];

  constructor(name: string, directory: string, unusable: readonly UnusableFile[]) {
    super(`no net configuration with name ${goQuote(name)} in ${directory}`, describeUnusable(unusable));
    this.unusable = unusable;
  }
}

/** The directory has no configuration at all, or is not there (libcni `NoConfigsFoundError`). */
export class NoNetworkListsError extends InvalidNetworkConfigError {
  override readonly name: string = "NoNetworkListsError";

  constructor(directory: string) {
    super(`no net configurations found in ${directory}`);
  }
}

function describeUnusable(files: readonly UnusableFile[]): { readonly details?: string } {
  if (files.length === 0) return {};
  const shown = files.slice(0, 10).map(({ error }) => describeCniError(error));
  const more = files.length > shown.length ? [`and ${files.length - shown.length} more`] : [];
  return { details: `unusable files: ${[...shown, ...more].join("; ")}` };
}
