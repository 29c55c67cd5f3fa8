import { type Logger as PinoLogger, pino, stdTimeFunctions } from "pino";
import type { Log } from "../attachments/instruments.ts";
import type { Rotation } from "./log-backups.ts";
import { LogOutput } from "./log-output.ts";
import { sanitizeFields } from "./sanitize-fields.ts";

/** Upstream's names, and those that other programs use for the same. */
export type LogLevelName =
  | "panic"
  | "fatal"
  | "error"
  | "warn"
  | "warning"
  | "info"
  | "verbose"
  | "debug"
  | "trace";

export interface LogOptions {
  readonly logLevel: LogLevelName;
  readonly logToStderr: boolean;
  readonly logFile?: string;
  readonly logOptions: Rotation;
}

/** The daemon's log, one JSON object a line. What a line says is on its way to disk or pipe when the call returns. */
export interface Logger extends Log {
  /** Counts at once, for every child that was made before, too. */
  setLevel(level: LogLevelName): void;
  /** Closes the file; later lines go to stderr. */
  stop(): Promise<void>;
}

/** Fields named `config`, `stdin`, `token` and their like are never printed; `err` is unfolded with its causes. */
export function createLogger(options: LogOptions): Logger {
  const output = new LogOutput(options);
  const shared = { level: levelNumbers[options.logLevel] };
  // The level is checked here and not by pino, whose children keep the one that they were made with.
  const root = pino(
    {
      level: "trace",
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // Errors are plain objects by then; the stock serializer would join the texts of the causes.
      serializers: { err: (unfolded: unknown) => unfolded },
    },
    output,
  );
  return Object.assign(new PinoLog(root, shared), {
    setLevel(level: LogLevelName) {
      shared.level = levelNumbers[level];
    },
    stop: () => output.stop(),
  });
}

const levelNumbers: Readonly<Record<LogLevelName, number>> = {
  panic: 60,
  fatal: 60,
  error: 50,
  warn: 40,
  warning: 40,
  info: 30,
  verbose: 30,
  debug: 20,
  trace: 10,
};

class PinoLog implements Log {
  readonly #pino: PinoLogger;
  readonly #shared: { readonly level: number };

  constructor(logger: PinoLogger, shared: { readonly level: number }) {
    this.#pino = logger;
    this.#shared = shared;
  }

  debug(fields: object, message: string): void {
    if (this.#shared.level <= 20) this.#pino.debug(sanitizeFields(fields), message);
  }

  info(fields: object, message: string): void {
    if (this.#shared.level <= 30) this.#pino.info(sanitizeFields(fields), message);
  }

  warn(fields: object, message: string): void {
    if (this.#shared.level <= 40) this.#pino.warn(sanitizeFields(fields), message);
  }

  error(fields: object, message: string): void {
    if (this.#shared.level <= 50) this.#pino.error(sanitizeFields(fields), message);
  }

  child(fields: object): Log {
    return new PinoLog(this.#pino.child(sanitizeFields(fields)), this.#shared);
  }
}
