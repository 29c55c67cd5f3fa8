import type { Random } from "../random.ts";
import type { Change } from "../scenario.ts";
import { knownVersions, randomResult } from "./random-result.ts";

/** Results that no runtime can do anything with. */
const unusableResults = [
  '{"cniVersion":"1.0.0","ips":[null]}',
  '{"cniVersion":"1.0.0","ips":[{"gateway":"10.0.0.1"}]}',
  '{"cniVersion":"1.1.0","routes":[{"gw":"10.0.0.1"}]}',
  '{"cniVersion":"0.4.0","interfaces":[null],"ips":[]}',
  '{"cniVersion":"1.1.0","interfaces":[{"name":"a","mtu":9007199254740993}]}',
];

/** What a plugin prints that did not read the specification. */
const junk = [
  " ",
  "{",
  "[]",
  "null",
  "{}",
  "{} x",
  "hello",
  '"text"',
  "7",
  '{"ips":7}',
  '{"cniVersion":"1.0.0","ips":[{"address":"10.1.2.3"}]}',
];

const errorObjects = [
  '{"cniVersion":"1.0.0","code":5,"msg":"disk","details":"full"}',
  '{"Code":11,"MSG":"later"}',
  ...[
    '{"code":-1,"msg":"x"}',
    '{"code":"7","msg":"x"}',
    '{"code":7.5,"msg":"x"}',
    '{"code":0}',
    '{"code":18446744073709551615,"msg":"y"}',
  ],
  '{"code":7,"msg":"a"}{"code":8}',
];

/** How a plugin fails. */
function failure(random: Random): readonly string[] {
  return random.pick<() => readonly string[]>([
    () => [
      `code=${random.pick([1, 3, 7, 11, 50, 51, 101, 999])}`,
      "msg=no route to the switch",
      "details=port 7",
    ],
    () => ["exit=3", "bare"],
    () => ["exit=1", "bare", "stderr=something on stderr"],
    () => ["exit=2", `stdout=${random.pick(junk)}`],
    () => ["exit=1", `stdout=${random.pick(errorObjects)}`, "stderr=and this too"],
    () => [`signal=${random.pick([9, 11, 15])}`],
  ])();
}

/** What ADD of a plugin prints, mostly a result in a version near to `likely`. */
function addBehaviour(random: Random, likely: string): readonly string[] {
  const roll = random.below(200);
  if (roll < 135) return [`stdout=${randomResult(random, likely)}`];
  if (roll < 180) return [`stdout=${randomResult(random, random.pick(knownVersions))}`];
  if (roll < 190) return [`stdout=${randomResult(random, "1.1.0")}`, "stderr=a word"];
  if (roll < 193) return [`stdout=${random.pick(junk)}`];
  if (roll < 195) return [`stdout=${random.pick(unusableResults)}`];
  if (roll < 196) return [`stdout=${random.pick(errorObjects)}`];
  return failure(random);
}

export function randomAddBehaviours(
  random: Random,
  types: readonly string[],
  likely: string,
  probability: number,
): readonly Change[] {
  return random
    .some(types, probability)
    .map((target) => ({ kind: "behave", target, command: "ADD", lines: addBehaviour(random, likely) }));
}

/** One plugin that fails at a command, or answers it with something that nobody asked for. */
export function misbehaviour(random: Random, types: readonly string[], command: string): Change {
  const idle = [`stdout=${random.pick([...junk, ...errorObjects])}`, "stderr=all is well"];
  const lines = random.chance(0.8) ? failure(random) : idle;
  return { kind: "behave", target: random.pick(types), command, lines };
}

/** Every plugin behaves again at this command. */
export function restored(types: readonly string[], command: string): readonly Change[] {
  return types.map((target) => ({ kind: "behave", target, command, lines: [] }));
}
