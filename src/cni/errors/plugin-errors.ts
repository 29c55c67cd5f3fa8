import type { PluginOutcome } from "../execute-plugin.ts";
import type { CniVerb } from "../verbs/cni-verb.ts";
import { CniCode } from "./cni-code.ts";
import { CniError, type CniErrorFacts } from "./cni-error.ts";

/** How the run ended that made a plugin fail; `no-time` means that it was not run since no time was left. */
export type PluginFailureKind = PluginOutcome["kind"] | "no-time";

export interface PluginFailureFacts extends CniErrorFacts {
  readonly plugin: string;
  readonly command: CniVerb;
  readonly kind: PluginFailureKind;
  readonly started: boolean;
  readonly fromPlugin?: boolean;
  readonly stderr?: string;
}

/** A plugin that failed, was ended, could not be started, or answered with something unusable. */
export class PluginFailedError extends CniError {
  override readonly name = "PluginFailedError";
  /** The plugin's `type`. */
  readonly plugin: string;
  readonly command: CniVerb;
  readonly kind: PluginFailureKind;
  /** It ran, if only for a moment, and so may have left something. */
  readonly started: boolean;
  /** The plugin itself gave code, msg and details; else they were made from how it ended. */
  readonly fromPlugin: boolean;
  /** End of what it logged, for the log; not part of the message when it gave an error object. */
  readonly stderr: string;

  constructor(message: string, facts: PluginFailureFacts) {
    super(message, facts);
    this.plugin = facts.plugin;
    this.command = facts.command;
    this.kind = facts.kind;
    this.started = facts.started;
    this.fromPlugin = facts.fromPlugin ?? false;
    this.stderr = facts.stderr ?? "";
  }
}

/** No directory of the search path has the plugin, or its `type` is no file name (code 7). */
export class PluginNotFoundError extends CniError {
  override readonly name = "PluginNotFoundError";
  /** The plugin's `type`. */
  readonly plugin: string;

  constructor(message: string, plugin: string, cause?: unknown) {
    super(message, { code: CniCode.InvalidNetworkConfig, cause });
    this.plugin = plugin;
  }
}
