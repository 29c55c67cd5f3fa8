/** One mistake in the daemon's configuration: where (`/timeouts/add`, a JSON pointer), and what is wrong there. */
export interface ConfigProblem {
  readonly path: string;
  readonly message: string;
}

/** The configuration was refused as a whole; `problems` names every bad path. Never holds a value of the file. */
export class ConfigError extends Error {
  readonly code = "CONFIG_REFUSED";
  readonly problems: readonly ConfigProblem[];

  constructor(file: string, problems: readonly ConfigProblem[], cause?: unknown) {
    super(
      `${file}: ${formatProblems(problems).replaceAll("\n", "; ")}`,
      cause === undefined ? undefined : { cause },
    );
    this.name = "ConfigError";
    this.problems = problems;
  }
}

/** One line a problem, `<path>: <message>`, as `--check-config` prints them. */
export function formatProblems(problems: readonly ConfigProblem[]): string {
  return problems.map(({ path, message }) => `${path}: ${message}`).join("\n");
}

/** Path of a mistake that concerns the file itself: it cannot be read, or is no JSON object. */
export const wholeFile = "/";
const maxShownKeyLength = 128;

/** JSON pointer (RFC 6901) on one line: long keys are cut, control characters are escaped. */
export function formatPath(tokens: readonly (string | number)[]): string {
  return tokens.map((token) => `/${escapeToken(String(token))}`).join("");
}

function escapeToken(token: string): string {
  const shown = token.slice(0, maxShownKeyLength).replaceAll("~", "~0").replaceAll("/", "~1");
  return shown.replaceAll(/\p{C}/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
