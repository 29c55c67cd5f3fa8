import { ConfigError, formatProblems } from "../config/config-problem.ts";
import type { DaemonConfig } from "../config/daemon-config.ts";
import { loadDaemonConfig } from "../config/load-daemon-config.ts";
import { createLogger, type Logger } from "../observability/create-logger.ts";
import { exitCodes } from "./exit-codes.ts";
import { type RunningDaemon, startDaemon } from "./start-daemon.ts";
import { StartError } from "./start-error.ts";
import { version } from "./version.ts";

/** Runs the daemon until it is told to stop; resolves with its exit code. */
export async function runDaemon(configFile: string, takeover: boolean): Promise<number> {
  const config = await loadOrExplain(configFile);
  if (config === undefined) return exitCodes.configurationRefused;
  const log = createLogger(config);
  for (const { path, message } of config.warnings)
    log.warn({ path, problem: message }, "configuration warning");
  watchForBugs(log);
  log.info({ version, pid: process.pid, takeover }, "multusd starts");
  const stop = stopSignal(log);
  let daemon: RunningDaemon;
  try {
    daemon = await startDaemon({ config, configFile, takeover, log, stop });
  } catch (err) {
    if (stop.aborted) return exitCodes.stopped;
    log.error({ err }, "multusd could not start");
    if (!(err instanceof StartError)) throw err;
    process.stderr.write(`multusd: ${err.message}\n`);
    return exitCodes.notStarted;
  }
  const why = await daemon.untilToldToStop();
  log.info({ why }, "multusd stops");
  const { cut } = await daemon.stop();
  log.info({ cut }, "multusd has stopped");
  await log.stop();
  return cut > 0 ? exitCodes.cut : exitCodes.stopped;
}

async function loadOrExplain(file: string): Promise<DaemonConfig | undefined> {
  try {
    return await loadDaemonConfig(file);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`multusd: ${file} is refused:\n${formatProblems(error.problems)}\n`);
    return undefined;
  }
}

/** Aborted by the first SIGTERM or SIGINT. */
function stopSignal(log: Logger): AbortSignal {
  const controller = new AbortController();
  for (const name of ["SIGTERM", "SIGINT"] as const) {
    process.on(name, () => {
      log.info({ signal: name }, "told to stop");
      controller.abort(name);
    });
  }
  return controller.signal;
}

/**
 * After an exception that nobody caught the process's state is unknown: it ends, and everything owed is on disk. A
 * rejected promise that nobody waited for is a bug too, but leaves the rest as it was.
 */
function watchForBugs(log: Logger): void {
  process.on("uncaughtException", (err) => {
    log.error({ err }, "bug: uncaught exception, multusd ends");
    process.exit(exitCodes.bug);
  });
  process.on("unhandledRejection", (err) => log.error({ err }, "bug: unhandled rejection"));
}
