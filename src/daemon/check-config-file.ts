import { ConfigError, formatProblems } from "../config/config-problem.ts";
import { loadDaemonConfig } from "../config/load-daemon-config.ts";
import { exitCodes } from "./exit-codes.ts";

/** `multusd --check-config`: prints one line a problem, `<path>: <what is wrong>`; warnings go to stderr. */
export async function checkConfigFile(file: string): Promise<number> {
  try {
    const { warnings } = await loadDaemonConfig(file);
    if (warnings.length > 0) process.stderr.write(`${formatProblems(warnings)}\n`);
    process.stdout.write(`${file}: configuration is valid\n`);
    return exitCodes.stopped;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stdout.write(`${formatProblems(error.problems)}\n`);
    return exitCodes.configurationRefused;
  }
}
