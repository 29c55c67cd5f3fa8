import { CniError, describeCniError } from "../cni/index.ts";
import { connectDaemon, NoDaemonError } from "./daemon-client.ts";
import { ExitCode } from "./exit-codes.ts";
import { FailedAnswerError } from "./failed-answer.ts";
import { renderHelp } from "./multusctl-help.ts";
import { print } from "./output.ts";
import { parseCommandLine } from "./parse-command-line.ts";
import { UsageError } from "./usage-error.ts";

/** Where multusctl writes, and who it is. */
export interface MultusctlIo {
  readonly writeOut: (text: string) => void;
  readonly writeError: (text: string) => void;
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
}

/** Runs one command line (without the program's name) and returns its exit status (contract §8). Never rejects. */
export async function runMultusctl(argv: readonly string[], io: MultusctlIo): Promise<number> {
  try {
    return await run(argv, io);
  } catch (error) {
    io.writeError(`multusctl: ${describe(error)}\n`);
    if (error instanceof UsageError) return ExitCode.usage;
    if (error instanceof NoDaemonError) return ExitCode.noDaemon;
    if (!(error instanceof FailedAnswerError || error instanceof CniError))
      io.writeError("this is a bug of multusctl\n");
    return ExitCode.foundSomething;
  }
}

function describe(error: unknown): string {
  if (error instanceof CniError) return describeCniError(error);
  return error instanceof Error ? error.message : String(error);
}

async function run(argv: readonly string[], io: MultusctlIo): Promise<number> {
  const request = parseCommandLine(argv);
  switch (request.kind) {
    case "help":
      io.writeOut(renderHelp());
      return ExitCode.fine;
    case "version":
      io.writeOut(`multusctl ${io.version}\n`);
      return ExitCode.fine;
    case "run": {
      const { command, input, form } = request;
      const ask = connectDaemon(input.socketFile, command.timeoutMs);
      const { env, writeError } = io;
      const finding = await command.run({ ...input, ask, env, writeError });
      io.writeOut(await print(finding, form));
      return finding.exitCode;
    }
  }
}
