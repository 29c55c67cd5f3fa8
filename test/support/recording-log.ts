import type { Log } from "../../src/attachments/instruments.ts";

export interface LoggedLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly fields: object;
  readonly message: string;
}

/** A log that keeps its lines, those of its children too. */
export class RecordingLog implements Log {
  readonly lines: LoggedLine[];
  readonly #bound: object;

  constructor(lines: LoggedLine[] = [], bound: object = {}) {
    this.lines = lines;
    this.#bound = bound;
  }

  debug(fields: object, message: string): void {
    this.#add("debug", fields, message);
  }

  info(fields: object, message: string): void {
    this.#add("info", fields, message);
  }

  warn(fields: object, message: string): void {
    this.#add("warn", fields, message);
  }

  error(fields: object, message: string): void {
    this.#add("error", fields, message);
  }

  child(fields: object): Log {
    return new RecordingLog(this.lines, { ...this.#bound, ...fields });
  }

  #add(level: LoggedLine["level"], fields: object, message: string): void {
    this.lines.push({ level, fields: { ...this.#bound, ...fields }, message });
  }
}
