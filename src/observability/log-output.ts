import type { Rotation } from "./log-backups.ts";
import { RotatingFile } from "./rotating-file.ts";
import { type LineSink, stderrSink } from "./write-line.ts";

/** Sends each line to stderr, to the file, or to both. What the file does not take goes to stderr in any case. */
export class LogOutput {
  readonly #toStderr: boolean;
  readonly #stderr: LineSink;
  #file: RotatingFile | undefined;
  #lost = 0;

  constructor(
    options: { readonly logToStderr: boolean; readonly logFile?: string; readonly logOptions: Rotation },
    stderr: LineSink = stderrSink,
  ) {
    this.#stderr = stderr;
    this.#file =
      options.logFile === undefined ? undefined : new RotatingFile(options.logFile, options.logOptions);
    this.#toStderr = options.logToStderr;
  }

  write(line: string): void {
    const inFile = this.#file?.write(line) ?? false;
    if (inFile && !this.#toStderr) return;
    if (this.#lost > 0 && this.#stderr.write(describeLoss(this.#lost))) this.#lost = 0;
    if (!this.#stderr.write(line) && !inFile) this.#lost += 1;
  }

  async stop(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.stop();
  }
}

function describeLoss(lines: number): string {
  const fields = { level: "warn", time: new Date().toISOString(), lines, msg: "log lines were lost" };
  return `${JSON.stringify(fields)}\n`;
}
