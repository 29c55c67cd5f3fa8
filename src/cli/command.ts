import type { AskDaemon } from "./daemon-client.ts";
import type { Finding } from "./output.ts";

/** Options that belong to single commands; each takes a value, but for `all`, whose value is `yes`. */
export const commandOptions = ["pod", "network", "sandbox", "all", "reason", "ifname", "cache-dir"] as const;
export type CommandOption = (typeof commandOptions)[number];

/** What was given to a command. */
export interface CommandInput {
  /** As many as the command's `parameters`; none where a selector was given. */
  readonly parameters: readonly string[];
  readonly options: Readonly<Partial<Record<CommandOption, string>>>;
  readonly ask: AskDaemon;
  readonly socketFile: string;
  readonly env: NodeJS.ProcessEnv;
  /** For what is no failure but worth a word. */
  readonly writeError: (text: string) => void;
}

/** One thing that multusctl can do. */
export interface Command {
  /** Words of the command line, such as `deletions show`. */
  readonly name: string;
  /** Names of what must follow, for people. */
  readonly parameters: readonly string[];
  readonly options: readonly CommandOption[];
  /** Options that name many at once: one of them stands in the place of the parameters. */
  readonly selectors?: readonly CommandOption[];
  /** An option that must be there. */
  readonly required?: CommandOption;
  /** How long one answer of the daemon may take; absent where it asks nothing. */
  readonly timeoutMs?: number;
  readonly summary: string;
  /** @throws {NoDaemonError | FailedAnswerError | UsageError | CniError} */
  run(input: CommandInput): Promise<Finding>;
}
