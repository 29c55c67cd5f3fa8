/** One run of a plugin binary. */
export interface PluginInvocation {
  /** Absolute path, inside `root` where that is given. */
  readonly path: string;
  /** The whole environment of the plugin. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  /** Directory to chroot into first. */
  readonly root?: string;
  /** After this the plugin's whole process group is ended. */
  readonly timeoutMs: number;
  /** Whom the run belongs to, for what must be ended after a crash: the container ID. */
  readonly owner: string;
}

export interface PluginOutput {
  /** At most 8 MiB; UTF-8, invalid bytes replaced. */
  readonly stdout: string;
  /** The plugin printed more than fits: `stdout` is a prefix. */
  readonly stdoutTruncated: boolean;
  /** The last 64 KiB. */
  readonly stderr: string;
  readonly wallMs: number;
  readonly maxRssKib: number;
}

/** Why a plugin never ran. */
export type StartFailure =
  | "not-found"
  | "not-executable"
  | "exec-format"
  | "missing-interpreter"
  | "text-busy"
  | "out-of-resources"
  | "other";

/** All ways in which a run ends; failing is an outcome, not an exception. */
export type PluginOutcome =
  | { readonly kind: "exited"; readonly exitCode: number; readonly output: PluginOutput }
  | { readonly kind: "killed"; readonly signal: string; readonly output: PluginOutput }
  | { readonly kind: "timed-out"; readonly timeoutMs: number; readonly output: PluginOutput }
  | { readonly kind: "cancelled"; readonly output: PluginOutput }
  /** `errno` name such as `EACCES`; `message` in the words of Go's `fork/exec <path>: permission denied`. */
  | {
      readonly kind: "not-started";
      readonly reason: StartFailure;
      readonly errno: string;
      readonly message: string;
    }
  /** The native arm died while the plugin ran; the plugin has been ended with it. */
  | { readonly kind: "executor-lost"; readonly message: string };

/**
 * Runs one plugin and waits for its end (or its group's, once it is cancelled or out of time).
 * Never rejects: an aborted `signal` gives `cancelled`, before the start as well as after it.
 */
export type ExecutePlugin = (invocation: PluginInvocation, signal?: AbortSignal) => Promise<PluginOutcome>;
