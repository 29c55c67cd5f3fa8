import { differentTexts } from "./compare/error-texts.ts";
import { type Json, printJson } from "./json-text.ts";
import type { Observation } from "./run/observation.ts";
import type { Outcome } from "./run/run-scenario.ts";

/** Everything that is needed to see what happened, and the command that makes it happen again. */
export function renderFailure({ scenario, failures, observations }: Outcome, seed: number): string {
  const step = failures[0]?.step ?? 0;
  return [
    `FAIL  scenario ${scenario.index}: ${scenario.title}`,
    ...failures.map(({ step, difference }) => `  step ${step}: ${JSON.stringify(difference, printable)}`),
    `  cnitool   ${describe(observations.upstream[step])}`,
    `  multusctl ${describe(observations.ours[step])}`,
    `  scenario  ${JSON.stringify(scenario)}`,
    `  again     CONFORMANCE_SEED=${seed} CONFORMANCE_ONLY=${scenario.index} make conformance`,
    "",
  ].join("\n");
}

function describe(observation: Observation | undefined): string {
  if (observation === undefined) return "did not come here";
  const { exit, stderr, calls } = observation;
  const names = calls.map(({ command, type }) => `${command} ${type}`).join(", ");
  return `exit ${exit}; called ${names === "" ? "nobody" : names}; stderr ${JSON.stringify(stderr)}`;
}

/** Numbers as they were written, not as objects. */
function printable(key: string, value: unknown): unknown {
  const isJson = (key === "upstream" || key === "ours") && typeof value === "object" && value !== null;
  return isJson && !("mode" in value) && !isNames(value) ? printJson(value as Json) : value;
}

function isNames(value: object): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

/** The error texts in which the two sides differ. */
export function renderTexts({ scenario, observations }: Outcome): string {
  return observations.ours
    .flatMap((ours, step) => {
      const upstream = observations.upstream[step];
      const texts = upstream && differentTexts(upstream, ours);
      if (texts === undefined) return [];
      return `text  scenario ${scenario.index}, step ${step}\n  cnitool   ${texts[0]}\n  multusctl ${texts[1]}\n`;
    })
    .join("");
}

/** How often each deviation was seen, by number. */
export function renderDeviations(outcomes: readonly Outcome[]): string {
  const counts = new Map<number, number>();
  for (const { deviations } of outcomes) {
    for (const number of deviations) counts.set(number, (counts.get(number) ?? 0) + 1);
  }
  const same = outcomes.filter(({ deviations, failures }) => deviations.size + failures.length === 0).length;
  const seen = [...counts].sort(([left], [right]) => left - right);
  const text = seen.map(([number, count]) => `${number}: ${count}`).join(", ");
  return `${same} of ${outcomes.length} scenarios the same in everything; deviations of src/cni/README.md seen (number: scenarios): ${text}\n`;
}
