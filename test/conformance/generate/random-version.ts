import type { Random } from "../random.ts";
import { knownVersions } from "./random-result.ts";

/** How a list says its version, and the one that plugins will most likely be spoken to in. */
export interface ListVersion {
  readonly members: readonly string[];
  readonly likely: string;
}

const common = ["1.1.0", "1.1.0", "1.1.0", "1.0.0", "1.0.0", "0.4.0", "0.4.0", "0.3.1"] as const;
const odd = ["", "1", "1.0", "1.0.5", "9.9.9", "banana", "1.1.0-rc1", "0.3", "+1.1.0", "1.1.0.0"];

export function randomVersion(random: Random): ListVersion {
  const roll = random.below(100);
  if (roll < 65) return single(random.pick(common));
  if (roll < 78) return single(random.pick(knownVersions));
  if (roll < 90) return several(random);
  if (roll < 93) return { members: [], likely: "0.1.0" };
  const version = random.pick(odd);
  return { members: [`"cniVersion":${JSON.stringify(version)}`], likely: random.pick(knownVersions) };
}

export function single(version: string): ListVersion {
  return { members: [`"cniVersion":"${version}"`], likely: version };
}

function several(random: Random): ListVersion {
  const versions = random.many(0, 4, () =>
    random.pick([...knownVersions, ...knownVersions, "99.0.0", "1.0"]),
  );
  const broken = random.chance(0.06) ? [random.pick(["1.0.f", "1.1.0-rc1", "1.2.3.4"])] : [];
  const key = `"cniVersions":${JSON.stringify([...versions, ...broken])}`;
  const likely = versions
    .filter((version) => knownVersions.some((known) => known === version))
    .sort()
    .at(-1);
  const one = random.some([`"cniVersion":"${random.pick(common)}"`], 0.5);
  return { members: [...one, key], likely: likely ?? "1.0.0" };
}
