import type { ResultCache } from "../cache/result-cache.ts";
import type { ExecutePlugin, PluginOutcome } from "../execute-plugin.ts";
import type { CniVerb } from "../verbs/cni-verb.ts";

/** What all verbs need (libcni `CNIConfig`). */
export interface CniRuntime {
  readonly executePlugin: ExecutePlugin;
  /** Absent: nothing is cached, and CHECK and DEL get no prevResult from here. */
  readonly cache?: ResultCache;
  /** Environment of every plugin besides the six variables of the protocol; see `baseEnvironment`. */
  readonly baseEnv: Readonly<Record<string, string>>;
  /** Called after each run of a plugin, failed or not; must not throw. */
  readonly onPluginRun?: (run: PluginRun) => void;
  /**
   * Plugins get `capabilities`, `cni.dev/…` and a `prevResult` of the configuration file too, as from libcni;
   * SPEC.md §4 says that they must not.
   */
  readonly passReservedKeys?: boolean;
}

/** One run of a plugin, for logs and metrics. */
export interface PluginRun {
  /** Name of the network configuration list; empty for VERSION of a single plugin. */
  readonly listName: string;
  /** The plugin's `type`. */
  readonly plugin: string;
  /** Index in the list. */
  readonly index: number;
  readonly command: CniVerb;
  readonly outcome: PluginOutcome;
  readonly seconds: number;
}

/** Where plugins are looked for. */
export interface PluginSearch {
  /** Directories in order; what plugins get as CNI_PATH. */
  readonly searchPath: readonly string[];
  /** Directory that plugins are chrooted into; `searchPath` is inside it. */
  readonly root?: string;
}

/** What one attachment is made or taken down with (SPEC.md §2 "Parameters", libcni `RuntimeConf`). */
export interface Attachment extends PluginSearch {
  readonly containerId: string;
  /** Path of the namespace; empty where it has gone. */
  readonly netns: string;
  readonly ifName: string;
  /** CNI_ARGS pairs in order. */
  readonly args: readonly (readonly [string, string])[];
  /** Capability to JSON text of its argument; a plugin gets those that it has switched on. */
  readonly capabilityArgs: Readonly<Record<string, string>>;
}

/** Time and cancellation of one call (Go's `context.Context`). */
export interface RunLimits {
  /** Ends the plugin that runs; no other one is started afterwards. */
  readonly signal?: AbortSignal;
  /**
   * Milliseconds that the next plugin gets, asked right before it is started; `pluginsLeft` includes it.
   * 0 or less: it is not tried.
   */
  readonly pluginTimeoutMs: (pluginsLeft: number) => number;
  /** Span that plugins belong to (W3C Trace Context); absent: they get no such variables. */
  readonly trace?: TraceContext;
}

export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
  readonly baggage?: string;
}
