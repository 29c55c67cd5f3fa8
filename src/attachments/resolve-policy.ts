import type { ErrorPolicy, PolicySource, ResolvedPolicy } from "./error-policy.ts";
import { Failure } from "./failure.ts";
import { defaultErrorPolicy, parseErrorPolicy } from "./parse-error-policy.ts";
import { type DomainSettings, settingsOfNetwork } from "./settings.ts";

/** A place that may say what becomes of a failed DEL, JSON text or annotation value. */
export interface PolicyPlace {
  readonly source: PolicySource;
  /** For error texts: which file, annotation or key. */
  readonly where: string;
  readonly text: string | undefined;
}

/**
 * The first place that says something decides (contract §4); the daemon's `networks` come before all of them.
 * @throws {Failure} `invalid-configuration` that names place and key; at ADD, the earliest that can refuse it
 */
export function resolvePolicy(
  settings: DomainSettings,
  network: string,
  listName: string,
  places: readonly PolicyPlace[],
): ResolvedPolicy {
  const override = settingsOfNetwork(settings, network, listName).delErrorPolicy;
  if (override !== undefined) return { policy: override, source: "daemon-networks" };
  for (const place of places) {
    if (place.text !== undefined) return { policy: readPolicy(place), source: place.source };
  }
  return { policy: defaultErrorPolicy, source: "default" };
}

/** @throws {Failure} `invalid-configuration` */
export function readPolicy(place: PolicyPlace): ErrorPolicy {
  const parsed = parseErrorPolicy(toJsonValue(place.text ?? ""), place.where);
  if ("policy" in parsed) return parsed.policy;
  const problems = parsed.problems.map((problem) => `${problem.path}: ${problem.message}`);
  throw new Failure("invalid-configuration", problems.join("; "));
}

/** An annotation may hold a bare word (`strict`) as well as JSON. */
function toJsonValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text.trim();
  }
}
