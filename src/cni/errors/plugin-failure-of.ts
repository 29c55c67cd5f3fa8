import { PluginFailedError } from "./plugin-errors.ts";

/** The plugin's failure that `error` is or was made of (Go's `errors.As`), if it is about a plugin that failed. */
export function pluginFailureOf(error: unknown): PluginFailedError | undefined {
  let cause = error;
  for (let depth = 0; depth < 20 && cause instanceof Error; depth += 1) {
    if (cause instanceof PluginFailedError) return cause;
    cause = cause.cause;
  }
  return undefined;
}
