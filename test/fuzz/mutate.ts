import type { Random } from "./random.ts";

/** Long inputs show what takes quadratic time; longer ones only take longer. */
const maxLength = 1 << 20;

/** Values that readers have had trouble with, here or elsewhere. */
const troublesome = [
  "null",
  "true",
  "0",
  "-0",
  "-1",
  "1.0",
  "1e400",
  "9007199254740993",
  "18446744073709551616",
  "[]",
  "{}",
  "[null]",
  '""',
  '"x"',
  '"true"',
  '"\\u0000"',
  '"\\ud800"',
  '"\u017f"',
  '"__proto__"',
  '"0.2.0"',
  '"0.4.0"',
  '"9.9.9"',
  '"1.1.0-rc1"',
  '"99999999999999999999.1"',
  '"10.0.0.1/8"',
  '"::ffff:10.0.0.1/96"',
  '"<nil>"',
  '"../../etc"',
];

const punctuation = ["{", "}", "[", "]", ":", ",", '"', "\\", "\ufeff", "\u2028"];

/** As one character a byte, so that any byte can be cut, turned or doubled. */
const bytes = (text: string): string => Buffer.from(text).toString("latin1");
const values = troublesome.map(bytes);
const tokens = [...values, ...punctuation.map(bytes)];

type Mutation = (text: string, random: Random, corpus: readonly string[]) => string;

const cut = (text: string, random: Random): readonly [number, number] => {
  const start = random.below(text.length + 1);
  return [start, start + random.below(Math.min(64, text.length - start + 1))];
};

const scalar = /"(?:[^"\\]|\\.){0,200}"|-?\d{1,40}(?:\.\d+)?|true|false|null/g;

/** A string, number or word, if there is one among the first thousand: keys are followed by a colon. */
function pickScalar(
  text: string,
  random: Random,
  kind: "key" | "value" | "any" = "any",
): readonly [number, number] | undefined {
  const found: (readonly [number, number])[] = [];
  for (const { index, 0: match } of text.matchAll(scalar)) {
    const isKey = /^\s*:/.test(text.slice(index + match.length, index + match.length + 4));
    if (kind === "any" || (kind === "key") === isKey) found.push([index, index + match.length]);
    if (found.length === 1000) break;
  }
  return found.length === 0 ? undefined : random.pick(found);
}

function replaced(text: string, span: readonly [number, number] | undefined, piece: string): string {
  return span === undefined ? text : text.slice(0, span[0]) + piece + text.slice(span[1]);
}

/** These leave JSON what it is, so that what stands behind the syntax is reached. */
const gentle: readonly Mutation[] = [
  function setValue(text, random) {
    return replaced(text, pickScalar(text, random, "value"), random.pick(values));
  },
  function borrowValue(text, random, corpus) {
    const other = random.pick(corpus);
    const span = pickScalar(other, random, "value");
    return span === undefined
      ? text
      : replaced(text, pickScalar(text, random, "value"), other.slice(...span));
  },
  function borrowKey(text, random, corpus) {
    const other = random.pick(corpus);
    const span = pickScalar(other, random, "key");
    return span === undefined ? text : replaced(text, pickScalar(text, random, "key"), other.slice(...span));
  },
  function foldKey(text, random) {
    const span = pickScalar(text, random, "key");
    return span === undefined ? text : replaced(text, span, text.slice(...span).toUpperCase());
  },
  function addMember(text, random, corpus) {
    const span = pickScalar(text, random, "key");
    const other = random.pick(corpus);
    const key = pickScalar(other, random, "key");
    if (span === undefined || key === undefined) return text;
    return replaced(text, [span[0], span[0]], `${other.slice(...key)}:${random.pick(values)},`);
  },
  function wrap(text, random) {
    const span = pickScalar(text, random, "value");
    if (span === undefined) return text;
    const value = text.slice(...span);
    return replaced(text, span, random.pick([`[${value}]`, `{"type":${value}}`, ` ${value}\n`]));
  },
];

const wild: readonly Mutation[] = [
  function turnBit(text, random) {
    const at = random.below(text.length);
    const turned = String.fromCharCode((text.charCodeAt(at) || 0) ^ (1 << random.below(8)));
    return text.slice(0, at) + turned + text.slice(at + 1);
  },
  function setByte(text, random) {
    const at = random.below(text.length);
    return text.slice(0, at) + String.fromCharCode(random.below(256)) + text.slice(at + 1);
  },
  function remove(text, random) {
    const [start, end] = cut(text, random);
    return text.slice(0, start) + text.slice(end);
  },
  function double(text, random) {
    const [start, end] = cut(text, random);
    return text.slice(0, end) + text.slice(start, end) + text.slice(end);
  },
  function insert(text, random) {
    const at = random.below(text.length + 1);
    return text.slice(0, at) + random.pick(tokens) + text.slice(at);
  },
  function replaceScalar(text, random) {
    const [start, end] = pickScalar(text, random) ?? cut(text, random);
    return text.slice(0, start) + random.pick(tokens) + text.slice(end);
  },
  function borrowScalar(text, random, corpus) {
    const other = random.pick(corpus);
    const [start, end] = pickScalar(text, random) ?? cut(text, random);
    const [from, to] = pickScalar(other, random) ?? cut(other, random);
    return text.slice(0, start) + other.slice(from, to) + text.slice(end);
  },
  function splice(text, random, corpus) {
    const other = random.pick(corpus);
    return text.slice(0, random.below(text.length + 1)) + other.slice(random.below(other.length + 1));
  },
  function truncate(text, random) {
    return text.slice(0, random.below(text.length + 1));
  },
  function nest(text, random) {
    const [open, close] = random.pick([
      ["[", "]"],
      ['{"a":', "}"],
      ["[", ""],
    ]);
    const depth = random.pick([1, 2, 999, 1000, 5000]);
    const [start, end] = pickScalar(text, random) ?? [0, text.length];
    return (
      text.slice(0, start) +
      open.repeat(depth) +
      text.slice(start, end) +
      close.repeat(depth) +
      text.slice(end)
    );
  },
  function grow(text, random) {
    if (!random.oneIn(20)) return text;
    const [start, end] = pickScalar(text, random) ?? cut(text, random);
    const piece = random.oneIn(2) ? text.slice(start + 1, end - 1) : `${text.slice(start, end)},`;
    if (piece === "") return text;
    const times = Math.floor(random.pick([1 << 12, 1 << 16, maxLength]) / piece.length);
    const at = random.oneIn(2) ? start : start + 1;
    return text.slice(0, at) + piece.repeat(times) + text.slice(at);
  },
];

/** `base` after a few changes, some with pieces of `corpus`; as it would come out of a file or a pipe. */
export function mutate(random: Random, base: string, corpus: readonly string[]): string {
  let text = bytes(base);
  const kinds = random.oneIn(2) ? gentle : [...gentle, ...wild];
  const times = 1 + random.below(5);
  for (let time = 0; time < times; time += 1) text = random.pick(kinds)(text, random, corpus);
  return Buffer.from(text.slice(0, maxLength), "latin1").toString("utf8");
}
