const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Runs `action` with a signal that the first Ctrl-C (or SIGTERM, SIGHUP) aborts, so that the plugin that runs is ended
 * and what was begun is told. The second one ends the process as ever.
 */
export async function interruptible<T>(action: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interrupted = new AbortController();
  const interrupt = () => {
    forget();
    interrupted.abort();
  };
  const forget = () => {
    for (const signal of signals) process.off(signal, interrupt);
  };
  for (const signal of signals) process.on(signal, interrupt);
  try {
    return await action(interrupted.signal);
  } finally {
    forget();
  }
}
