import type { Difference } from "../compare/difference.ts";
import { cacheDeviations } from "./cache-deviations.ts";
import type { Deviation, StepContext } from "./deviation.ts";
import { numberDeviations } from "./number-deviations.ts";
import { requestDeviations } from "./request-deviations.ts";

const deviations: readonly Deviation[] = [...cacheDeviations, ...requestDeviations, ...numberDeviations].sort(
  (left, right) => left.number - right.number,
);

/** The deviation that a difference is due to. */
export function explain(difference: Difference, context: StepContext): Deviation | undefined {
  return deviations.find((deviation) => deviation.permits(difference, context));
}
