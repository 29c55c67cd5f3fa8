import type { Difference } from "../compare/difference.ts";
import type { Observation } from "../run/observation.ts";
import type { Scenario, Step } from "../scenario.ts";

/** The step in which a difference was found. */
export interface StepContext {
  readonly scenario: Scenario;
  readonly step: Step;
  readonly upstream: Observation;
  readonly ours: Observation;
}

/** One line of the table in `src/cni/README.md` "What is otherwise, and why". */
export interface Deviation {
  /** Its number there. */
  readonly number: number;
  readonly title: string;
  /** True only for exactly the difference that the deviation makes. */
  permits(difference: Difference, context: StepContext): boolean;
  /** After it the two sides' nodes are not the same any more, so that later steps cannot be compared. */
  readonly partsTheWays?: true;
}
