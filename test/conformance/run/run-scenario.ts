import { join } from "node:path";
import { compareObservations } from "../compare/compare-observations.ts";
import type { Difference } from "../compare/difference.ts";
import { explain } from "../deviations/explain.ts";
import type { Scenario } from "../scenario.ts";
import type { Observation } from "./observation.ts";
import { runSide, type Side } from "./run-side.ts";
import type { World } from "./world.ts";

export interface Sides {
  readonly upstream: Side;
  readonly ours: Side;
  /** The recording plugin, compiled. */
  readonly program: string;
  /** For worlds, one a side and scenario. */
  readonly directory: string;
}

export interface Outcome {
  readonly scenario: Scenario;
  /** Differences that no deviation explains, by step. */
  readonly failures: readonly { readonly step: number; readonly difference: Difference }[];
  /** Numbers of the deviations that were seen, each once. */
  readonly deviations: ReadonlySet<number>;
  readonly observations: { readonly upstream: readonly Observation[]; readonly ours: readonly Observation[] };
}

/** Lets both sides do the scenario and compares step by step. */
export async function runScenario(scenario: Scenario, sides: Sides): Promise<Outcome> {
  const { program, directory } = sides;
  const run = async (side: Side, hidden?: World["hidden"]) =>
    await runSide({
      scenario,
      side,
      program,
      directory: join(directory, `${scenario.index}-${side.name}`),
      ...(hidden === undefined ? {} : { hidden }),
    });
  const [upstream, ours] = [await run(sides.upstream), await run(sides.ours)];
  const outcome = judge(scenario, upstream, ours);
  if (outcome.failures.length === 0 || !upstream.some(stumbles)) return outcome;
  // With the files that it stumbles over, upstream can do nothing; without them it must do what we do with them.
  for (const hidden of scenario.stumblingBlocks.flatMap(hiddenEitherWay)) {
    const again = judge(scenario, await run(sides.upstream, hidden), ours);
    if (again.failures.length === 0) return { ...again, deviations: new Set([...again.deviations, 15]) };
  }
  return outcome;
}

/** What is written later may be as bad as before, or good. */
function hiddenEitherWay(files: readonly string[]): readonly World["hidden"][] {
  return [
    { files, for: "ever" },
    { files, for: "the beginning" },
  ];
}

function stumbles({ exit, stderr }: Observation): boolean {
  return (
    exit === 1 &&
    /^(error parsing configuration|failed to parse plugin config|no plugin configs)/.test(stderr)
  );
}

function judge(scenario: Scenario, upstream: readonly Observation[], ours: readonly Observation[]): Outcome {
  const deviations = new Set<number>();
  const failures: { step: number; difference: Difference }[] = [];
  for (const [index, step] of scenario.steps.entries()) {
    const [theirs, our] = [upstream[index], ours[index]];
    if (theirs === undefined || our === undefined) break;
    let isParted = false;
    for (const difference of compareObservations(theirs, our)) {
      const deviation = explain(difference, { scenario, step, upstream: theirs, ours: our });
      if (deviation === undefined) failures.push({ step: index, difference });
      else deviations.add(deviation.number);
      isParted ||= deviation?.partsTheWays === true;
    }
    if (isParted || failures.length > 0) break;
  }
  return { scenario, failures, deviations, observations: { upstream, ours } };
}
