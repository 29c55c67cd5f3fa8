/** One mistake in the daemon's configuration: where (`networks["a/b"].timeouts.add`), and what is wrong there. */
export interface ConfigProblem {
  readonly path: string;
  readonly message: string;
}

/** The configuration was refused as a whole; `problems` names every bad path. Never holds a value of the file. */
export class ConfigError extends Error {
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
export const wholeFile = "(file)";
const maxShownKeyLength = 64;

/** Text of a path: names joined by dots, other keys in brackets and quotes, elements of arrays as `[2]`. */
export function formatPath(tokens: readonly (string | number)[]): string {
  return tokens.reduce<string>((path, token) => {
    if (typeof token === "number") return `${path}[${token}]`;
    const key = token.slice(0, maxShownKeyLength);
    if (!/^[A-Za-z_$][\w$-]*$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
    return path === "" ? key : `${path}.${key}`;
  }, "");
}
