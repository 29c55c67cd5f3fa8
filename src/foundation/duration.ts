/** The text is no duration. `text` is what was given, cut to a readable length. */
export class DurationFormatError extends RangeError {
  override readonly name = "DurationFormatError";
  readonly text: string;

  constructor(text: string) {
    const shown = text.slice(0, maxTextLength);
    super(`"${shown}" is no duration such as "90s", "1m30s", "7d" or "500ms"`);
    this.text = shown;
  }
}

const maxTextLength = 64;

const msOfUnit: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3, // U+00B5, as Go prints it
  μs: 1e-3, // U+03BC, which Go reads as well
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

const term = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h|d)/gy;

/**
 * Milliseconds of a text as Go's `time.ParseDuration` reads it, with `d` for 24 hours and without a sign. A part of a
 * millisecond counts as a whole one, so that only a zero is zero.
 * @throws {DurationFormatError}
 */
export function parseDurationMs(text: string): number {
  if (text === "0") return 0;
  if (text.length === 0 || text.length > maxTextLength) throw new DurationFormatError(text);
  let sumMs = 0;
  let end = 0;
  for (const [whole, number, unit] of text.matchAll(term)) {
    sumMs += Number(number) * (msOfUnit[unit ?? ""] ?? Number.NaN);
    end += whole.length;
  }
  if (end !== text.length || !(sumMs <= Number.MAX_SAFE_INTEGER)) throw new DurationFormatError(text);
  // Binary fractions: 1.1 s are 1100.0000000000002 ms.
  return Math.ceil(Number(sumMs.toFixed(6)));
}

/**
 * Shortest text that `parseDurationMs` reads as the same whole milliseconds: `3m20s`, `10m`, `7d`, `1.5s`, `250ms`.
 * Anything below zero is `0s`.
 */
export function formatDuration(ms: number): string {
  let leftMs = Math.max(0, Math.round(ms));
  if (leftMs === 0) return "0s";
  if (leftMs < 1000) return `${leftMs}ms`;
  let text = "";
  for (const [unit, unitMs] of longUnits) {
    const count = Math.floor(leftMs / unitMs);
    leftMs -= count * unitMs;
    if (count > 0) text += `${count}${unit}`;
  }
  return leftMs === 0 ? text : `${text}${leftMs / 1000}s`;
}

const longUnits = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
] as const;
