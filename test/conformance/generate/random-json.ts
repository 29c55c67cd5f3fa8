import type { Random } from "../random.ts";

const numbers = [
  ...["0", "-0", "1", "1.0", "1.10", "-7", "1e3", "1E+2", "0.1e-7", "1e22", "1e-9", "65536"],
  ...["9007199254740993", "12345678901234567890", "-9223372036854775809", "3.141592653589793238462643"],
];

const texts = [
  ...['""', '"a"', '"a b"', '"\\u00e9\\/\\ud83d\\ude00"', '"<&>"', '"\\u2028"', '"é😀"', '"\\ud800x"'],
  ...['"\\"\\\\\\n\\t"', '"null"', '"1.0"', '"__proto__"', '"10.1.2.3/8"', '"\\u0000"'],
];

const keys = [
  ...[
    '"x"',
    '"mtu"',
    '"Mtu"',
    '"__proto__"',
    '"constructor"',
    '"toString"',
    '"\\u00fcn\\u00ef"',
    '"a b"',
    '""',
  ],
  ...[
    '"1"',
    '"bridge"',
    '"isGateway"',
    '"k\\u0065y"',
    '"hairpinMode"',
    '"<k>"',
    '"long-key-with-dashes.and/slash"',
  ],
];

/** The text of a JSON value as a careless author or a machine writes one: odd numbers, escapes, double keys. */
export function randomJson(random: Random, depth = 3): string {
  const kind = random.below(depth > 0 ? 8 : 5);
  switch (kind) {
    case 0:
    case 1:
      return random.pick(numbers);
    case 2:
    case 3:
      return random.pick(texts);
    case 4:
      return random.pick(["true", "false", "null", "{}", "[]"]);
    case 5:
      return `[${random.many(0, 4, () => randomJson(random, depth - 1)).join(random.pick([",", " , "]))}]`;
    default:
      return randomObject(random, depth);
  }
}

function randomObject(random: Random, depth = 3): string {
  const members = random.many(0, 4, () => randomMember(random, depth));
  return printObject(members, random);
}

/** A key and a value, ready to stand in an object. */
export function randomMember(random: Random, depth = 2): string {
  return member(random.pick(keys), randomJson(random, depth - 1));
}

/** `keyText` with its quotes. */
export function member(keyText: string, valueText: string): string {
  return `${keyText}:${valueText}`;
}

/** An object of ready members, in the handwriting of some author. */
export function printObject(members: readonly string[], random: Random): string {
  const style = random.pick(["compact", "spaced", "lines"] as const);
  if (style === "compact") return `{${members.join(",")}}`;
  if (style === "spaced") return `{ ${members.join(" , ")} }`;
  return `{\n  ${members.join(",\n\t")}\r\n}`;
}
