import type { RecordedCall } from "../../support/recorded-calls.ts";

/** A file or directory that a side left below `results`. */
export interface LeftFile {
  /** `undefined`: a directory. */
  readonly text: string | undefined;
  /** Permission bits. */
  readonly mode: number;
}

/** All that can be seen of one step of one side. */
export interface Observation {
  /** `null`: ended by a signal. */
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** In order of their start. */
  readonly calls: readonly RecordedCall[];
  /** By name in `results`, before the step and after it; `results` itself under the empty name. */
  readonly filesBefore: ReadonlyMap<string, LeftFile>;
  readonly filesAfter: ReadonlyMap<string, LeftFile>;
}
