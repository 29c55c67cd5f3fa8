import { multusdHelp, parseMultusdArguments } from "../cli/multusd-arguments.ts";
import { checkConfigFile } from "./check-config-file.ts";
import { exitCodes } from "./exit-codes.ts";
import { runDaemon } from "./run-daemon.ts";
import { version } from "./version.ts";

/** Entry of `multusd`. */
async function main(argv: readonly string[]): Promise<number> {
  const request = parseMultusdArguments(argv);
  switch (request.kind) {
    case "version":
      process.stdout.write(`multusd ${version}\n`);
      return exitCodes.stopped;
    case "help":
      process.stdout.write(multusdHelp);
      return exitCodes.stopped;
    case "usage":
      process.stderr.write(`multusd: ${request.message}\n\n${multusdHelp}`);
      return exitCodes.notStarted;
    case "check-config":
      return await checkConfigFile(request.configFile);
    case "run":
      return await runDaemon(request.configFile, request.takeover);
  }
}

process.exitCode = await main(process.argv.slice(2));
// What is still open now (a metrics client, say) must not keep a stopped daemon alive.
process.exit();
