import { damages } from "../damages.ts";
import type { Random } from "../random.ts";
import type { Change, PluginFile, Step, Verb } from "../scenario.ts";
import { misbehaviour, restored } from "./random-behaviour.ts";

export interface StepFacts {
  readonly types: readonly string[];
  /** A change that gives the list another version. */
  readonly rewrite: Change;
}

interface Template {
  readonly title: string;
  /** How often, against the others. */
  readonly weight: number;
  readonly make: (random: Random, facts: StepFacts) => readonly Step[];
}

function step(verb: Verb, ...before: readonly Change[]): Step {
  return { verb, before };
}

function damage(random: Random): Change {
  return { kind: "damage", damage: random.pick(Object.keys(damages)) };
}

const pluginFiles: readonly PluginFile[] = [
  ...(["missing", "not-executable", "directory", "dangling", "busy", "no-format", "no-interpreter"] as const),
];

function spoiled(random: Random, { types }: StepFacts): Change {
  return { kind: "plugin", name: `bin/${random.pick(types)}`, file: random.pick(pluginFiles) };
}

function repaired({ types }: StepFacts): readonly Change[] {
  return types.map((type) => ({ kind: "plugin", name: `bin/${type}`, file: "recording" }));
}

const templates: readonly Template[] = [
  { title: "the usual life", weight: 4, make: () => [step("add"), step("check"), step("del"), step("del")] },
  {
    title: "DEL after damage",
    weight: 6,
    make: (random) => [step("add"), step("del", damage(random)), step("del")],
  },
  {
    title: "CHECK after damage",
    weight: 4,
    make: (random) => [step("add"), step("check", damage(random)), step("del")],
  },
  {
    title: "a failing DEL after damage",
    weight: 3,
    make: (random, { types }) => [
      step("add"),
      step("del", damage(random), misbehaviour(random, types, "DEL")),
      step("del", ...restored(types, "DEL")),
      step("del"),
    ],
  },
  {
    title: "damage without an ADD",
    weight: 2,
    make: (random) => [step("check", damage(random)), step("del")],
  },
  {
    title: "GC after damage",
    weight: 2,
    make: (random) => [step("add"), step("gc", damage(random)), step("gc")],
  },
  { title: "ADD over damage", weight: 2, make: (random) => [step("add", damage(random)), step("del")] },
  { title: "DEL of what is not there", weight: 1, make: () => [step("del")] },
  {
    title: "a failing DEL",
    weight: 2,
    make: (random, { types }) => [
      step("add"),
      step("del", misbehaviour(random, types, "DEL")),
      step("del", ...restored(types, "DEL")),
    ],
  },
  {
    title: "a failing CHECK",
    weight: 2,
    make: (random, { types }) => [
      step("add"),
      step("check", misbehaviour(random, types, "CHECK")),
      step("del"),
    ],
  },
  {
    title: "a failing ADD over an older result",
    weight: 2,
    make: (random, { types }) => [step("add"), step("add", misbehaviour(random, types, "ADD")), step("del")],
  },
  { title: "GC", weight: 3, make: () => [step("add"), step("gc"), step("del")] },
  {
    title: "a failing GC",
    weight: 2,
    make: (random, { types }) => [
      step("add"),
      step("gc", misbehaviour(random, types, random.pick(["GC", "DEL"]))),
      step("gc", ...restored(types, "DEL"), ...restored(types, "GC")),
    ],
  },
  {
    title: "STATUS",
    weight: 2,
    make: (random, { types }) => [step("status"), step("status", misbehaviour(random, types, "STATUS"))],
  },
  {
    title: "another version after ADD",
    weight: 3,
    make: (_random, { rewrite }) => [step("add"), step("check", rewrite), step("del")],
  },
  {
    title: "a plugin that went away",
    weight: 3,
    make: (random, facts) => [
      step("add"),
      step(random.pick(["del", "check", "gc", "status"]), spoiled(random, facts)),
      step("del", ...repaired(facts)),
    ],
  },
  {
    title: "ADD without a plugin",
    weight: 2,
    make: (random, facts) => [step("add", spoiled(random, facts)), step("del")],
  },
  { title: "ADD twice", weight: 1, make: () => [step("add"), step("add"), step("del")] },
  { title: "CHECK without ADD", weight: 1, make: () => [step("check"), step("del")] },
];

/** Steps of a kind that is common in a node's life, or was the cause of a bug report. */
export function randomSteps(random: Random, facts: StepFacts): { title: string; steps: readonly Step[] } {
  const { title, make } = random.pick(
    templates.flatMap((template) => Array<Template>(template.weight).fill(template)),
  );
  const steps = make(random, facts);
  const harmed = steps.flatMap(({ before }) =>
    before.flatMap((change) => (change.kind === "damage" ? change.damage : [])),
  );
  return { title: [title, ...harmed].join(": "), steps };
}
