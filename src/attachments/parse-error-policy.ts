import { DurationFormatError, parseDurationMs } from "../foundation/duration.ts";
import { nearestName } from "../foundation/nearest-name.ts";
import type { ErrorPolicy, IgnoreRule, PolicyMode } from "./error-policy.ts";
import { compileSafeExpression } from "./safe-expression.ts";

/** What stands wrong where: `path` as in `/networks/a~1b/delErrorPolicy/retry/max`, `message` without the value. */
export interface PolicyProblem {
  readonly path: string;
  readonly message: string;
}

export type ParsedErrorPolicy =
  | { readonly policy: ErrorPolicy }
  | { readonly problems: readonly PolicyProblem[] };

const defaults = {
  mode: "deferred",
  firstAttempt: "inline",
  escalate: { attempts: 20, ageMs: 600_000 },
  retry: { initialMs: 1000, maxMs: 300_000, giveUpAfterMs: 7 * 86_400_000 },
  ignore: [],
} as const satisfies ErrorPolicy;

/** What decides where nothing else does: `deferred` with the numbers of contract §4. */
export const defaultErrorPolicy: ErrorPolicy = deepFreeze(defaults);

/**
 * Reads a `delErrorPolicy` in its string and its object form; what the object form leaves out comes from
 * `defaultErrorPolicy`. All problems are named at once.
 * @param value the parsed JSON value, or JSON text (an annotation's value may also be the bare word)
 * @param path where the value stands; the problems' paths begin with it
 */
export function parseErrorPolicy(value: unknown, path: string): ParsedErrorPolicy {
  const problems: PolicyProblem[] = [];
  const policy = readPolicy(fromText(value), new Reader(path, problems));
  return problems.length === 0 ? { policy: deepFreeze(policy) } : { problems };
}

const modes = ["strict", "lenient", "deferred"] as const;
const maxTextLength = 16 * 1024;
const maxIgnoreRules = 32;
const maxAttempts = 1_000_000;
const dayMs = 86_400_000;

function fromText(value: unknown): unknown {
  if (typeof value !== "string" || value.length > maxTextLength) return value;
  const text = value.trim();
  if (!text.startsWith("{") && !text.startsWith('"')) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function readPolicy(value: unknown, reader: Reader): ErrorPolicy {
  if (typeof value === "string") return { ...defaults, mode: reader.choice(value, modes, defaults.mode) };
  if (!isObject(value)) {
    reader.complain('must be "strict", "lenient", "deferred" or an object');
    return defaults;
  }
  const members = reader.members(value, ["mode", "firstAttempt", "escalate", "retry", "ignore"]);
  const mode: PolicyMode = members("mode", (at, raw) => at.choice(raw, modes, defaults.mode), defaults.mode);
  return {
    mode,
    firstAttempt: members(
      "firstAttempt",
      (at, raw) => readFirstAttempt(at, raw, mode),
      defaults.firstAttempt,
    ),
    escalate: members("escalate", readEscalate, defaults.escalate),
    retry: members("retry", readRetry, defaults.retry),
    ignore: members("ignore", readIgnore, defaults.ignore),
  };
}

function readFirstAttempt(at: Reader, raw: unknown, mode: PolicyMode): ErrorPolicy["firstAttempt"] {
  const choice = at.choice(raw, ["inline", "none"] as const, defaults.firstAttempt);
  if (choice === "none" && mode !== "deferred") at.complain('"none" needs the mode "deferred"');
  return choice;
}

function readEscalate(at: Reader, raw: unknown): ErrorPolicy["escalate"] {
  const members = at.members(raw, ["attempts", "age"]);
  return {
    attempts: members(
      "attempts",
      (own, count) => own.integer(count, 1, maxAttempts),
      defaults.escalate.attempts,
    ),
    ageMs: members("age", (own, age) => own.duration(age, 30 * dayMs), defaults.escalate.ageMs),
  };
}

/** A bound that was not written gives way to the one that was. */
function readRetry(at: Reader, raw: unknown): ErrorPolicy["retry"] {
  const members = at.members(raw, ["initial", "max", "giveUpAfter"]);
  const readDay = (own: Reader, time: unknown) => own.duration(time, dayMs);
  const initialMs = members<number | undefined>("initial", readDay, undefined);
  const maxMs = members<number | undefined>("max", readDay, undefined);
  if (initialMs !== undefined && maxMs !== undefined && initialMs > maxMs) {
    at.complain("initial must not be longer than max");
  }
  return {
    initialMs: initialMs ?? Math.min(defaults.retry.initialMs, maxMs ?? Number.POSITIVE_INFINITY),
    maxMs: maxMs ?? Math.max(defaults.retry.maxMs, initialMs ?? 0),
    giveUpAfterMs: members(
      "giveUpAfter",
      (own, time) => own.duration(time, 365 * dayMs),
      defaults.retry.giveUpAfterMs,
    ),
  };
}

function readIgnore(at: Reader, raw: unknown): readonly IgnoreRule[] {
  if (!Array.isArray(raw)) {
    at.complain("must be an array");
    return [];
  }
  if (raw.length > maxIgnoreRules) at.complain(`must not hold more than ${maxIgnoreRules} rules`);
  return raw.slice(0, maxIgnoreRules).flatMap((rule, index) => readIgnoreRule(at.element(index), rule));
}

function readIgnoreRule(at: Reader, rule: unknown): readonly IgnoreRule[] {
  if (rule === "gone") return ["gone"];
  if (!isObject(rule) || Object.keys(rule).length !== 1) {
    at.complain('must be "gone", {"code": number} or {"message": "regular expression"}');
    return [];
  }
  const members = at.members(rule, ["code", "message"]);
  if (Object.hasOwn(rule, "code")) {
    return [{ code: members("code", (own, code) => own.integer(code, 1, 4_294_967_295), 1) }];
  }
  if (!Object.hasOwn(rule, "message")) return [];
  return [{ message: members("message", (own, message) => own.expression(message), "") }];
}

type ReadMember = <T>(key: string, read: (at: Reader, raw: unknown) => T, fallback: T) => T;

/** Reads single values at one path; what is wrong is noted and replaced, so that the rest is still looked at. */
class Reader {
  readonly #path: string;
  readonly #problems: PolicyProblem[];

  constructor(path: string, problems: PolicyProblem[]) {
    this.#path = path;
    this.#problems = problems;
  }

  complain(message: string): void {
    this.#problems.push({ path: this.#path, message });
  }

  element(index: number): Reader {
    return new Reader(`${this.#path}/${index}`, this.#problems);
  }

  members(value: unknown, known: readonly string[]): ReadMember {
    if (!isObject(value)) {
      this.complain("must be an object");
      return (_key, _read, fallback) => fallback;
    }
    for (const key of Object.keys(value)) {
      if (!known.includes(key)) this.#member(key.slice(0, 64)).complain(describeUnknown(key, known));
    }
    return (key, read, fallback) =>
      Object.hasOwn(value, key) ? read(this.#member(key), value[key]) : fallback;
  }

  choice<T extends string>(value: unknown, choices: readonly T[], fallback: T): T {
    const found = choices.find((choice) => choice === value);
    if (found === undefined) this.complain(`must be ${listChoices(choices)}`);
    return found ?? fallback;
  }

  integer(value: unknown, min: number, max: number): number {
    if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) return value;
    this.complain(`must be a whole number from ${min} to ${max}`);
    return min;
  }

  duration(value: unknown, maxMs: number): number {
    const timeMs = typeof value === "string" ? tryDuration(value) : undefined;
    if (timeMs === undefined) this.complain('must be a duration such as "90s", "10m" or "7d"');
    else if (timeMs === 0) this.complain("must be longer than zero");
    else if (timeMs > maxMs) this.complain(`must not be longer than ${maxMs / dayMs}d`);
    else return timeMs;
    // Beyond every comparison between two durations: one wrong value is one problem.
    return Number.NaN;
  }

  expression(value: unknown): string {
    const compiled = typeof value === "string" ? compileSafeExpression(value) : "must be a string";
    if (typeof compiled === "string") this.complain(compiled);
    return typeof value === "string" ? value : "";
  }

  #member(key: string): Reader {
    const token = key.replaceAll("~", "~0").replaceAll("/", "~1");
    const shown = token.replaceAll(
      /\p{C}/gu,
      (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
    );
    return new Reader(`${this.#path}/${shown}`, this.#problems);
  }
}

function tryDuration(text: string): number | undefined {
  try {
    return parseDurationMs(text);
  } catch (error) {
    if (error instanceof DurationFormatError) return undefined;
    throw error;
  }
}

function describeUnknown(key: string, known: readonly string[]): string {
  const nearest = nearestName(key, known);
  return nearest === undefined
    ? `unknown; known are ${known.join(", ")}`
    : `unknown; did you mean "${nearest}"?`;
}

function listChoices(choices: readonly string[]): string {
  const quoted = choices.map((choice) => `"${choice}"`);
  return `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1) ?? ""}`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}
