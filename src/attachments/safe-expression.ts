/**
 * Compiles a regular expression of an operator or of a network's author, who may be hostile to the node.
 *
 * V8 backtracks: one repeated group is enough to stop the daemon for years. So what repeats a group, looks around or
 * refers back is refused, and repetitions and choices are few; what is left is polynomial, and a caller that matches
 * against at most 512 characters of text is safe.
 * @returns the expression, or why it is refused, as the end of a sentence that begins with the key
 */
export function compileSafeExpression(source: string): RegExp | string {
  if (source.length === 0) return "must not be empty: it would match every failure";
  if (source.length > maxLength) return `is longer than ${maxLength} characters`;
  let expression: RegExp;
  try {
    expression = new RegExp(source);
  } catch {
    return "is no regular expression";
  }
  return findRisk(source) ?? expression;
}

const maxLength = 256;
/** Two alternatives with two repetitions each: measured, half a second at worst. */
const maxSteps = 2 * 512 ** 3;

function findRisk(source: string): string | undefined {
  const plain = source.replaceAll(/\\[^0-9k]/g, "_").replaceAll(/\[[^\]]*\]/g, "_");
  if (/\\[1-9k]/.test(plain)) return "must not refer back to a group";
  if (/\(\?(?:[=!]|<[=!])/.test(plain)) return "must not look ahead or behind";
  if (/\)(?:[*+]|\{\d+(?:,\d*)?\})/.test(plain)) return "must not repeat a group";
  const steps = splitAlternatives(plain).reduce((sum, part) => sum + worstSteps(part), 0);
  return steps > maxSteps ? "takes too many steps to match: use fewer repetitions and choices" : undefined;
}

/** A repetition may end at each of 512 characters, as the search may begin at each; a choice doubles the ways. */
function worstSteps(alternative: string): number {
  const repetitions = count(alternative, /[*+]|\{\d+,?\d*\}/g);
  const choices = count(alternative, /\||(?<![(*+}?])\?/g);
  return 512 ** (repetitions + 1) * 2 ** choices;
}

/** Alternatives outside of every group: their costs add up, those within one multiply. */
function splitAlternatives(plain: string): readonly string[] {
  const parts = [""];
  let depth = 0;
  for (const character of plain) {
    if (character === "(") depth += 1;
    if (character === ")") depth -= 1;
    if (character === "|" && depth === 0) parts.push("");
    else parts.push(`${parts.pop() ?? ""}${character}`);
  }
  return parts;
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
