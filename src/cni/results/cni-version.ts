import { goQuote } from "../errors/go-quote.ts";
import { UnsupportedVersionError } from "../errors/result-errors.ts";

/** Versions of the specification whose results this library reads and writes, lowest first. */
export const supportedVersions = ["0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"] as const;

/** The highest version of the specification that this library speaks (libcni `version.Current`). */
export const currentVersion = "1.1.0";

const partNames = ["major", "minor", "micro"] as const;
const widest = 2n ** 63n;

/**
 * Three numbers; missing ones are 0 and the empty text is 0.1.0. No pre-releases.
 * @throws {UnsupportedVersionError}
 * @see libcni `version.ParseVersion`
 */
function parseVersion(version: string): readonly [bigint, bigint, bigint] {
  if (version === "") return [0n, 1n, 0n];
  const parts = version.split(".");
  if (parts.length > 3) {
    throw new UnsupportedVersionError(`invalid version ${goQuote(version)}: too many parts`);
  }
  const [major = 0n, minor = 0n, micro = 0n] = parts.map((part, index) => {
    const problem = numberProblem(part);
    if (problem === undefined) return BigInt(part.replace("+", ""));
    throw new UnsupportedVersionError(
      `failed to convert ${partNames[index]} version part ${goQuote(part)}: strconv.Atoi: parsing ${goQuote(part)}: ${problem}`,
    );
  });
  return [major, minor, micro];
}

function numberProblem(part: string): string | undefined {
  if (!/^[+-]?[0-9]{1,256}$/.test(part)) return "invalid syntax";
  const value = BigInt(part.replace("+", ""));
  return value >= widest || value < -widest ? "value out of range" : undefined;
}

/**
 * Negative, 0 or positive, as `left` is lower than, equal to or higher than `right`.
 * @throws {UnsupportedVersionError} if one of them is no version
 * @see libcni `version.GreaterThan`
 */
export function compareVersions(left: string, right: string): number {
  const leftParts = parseVersion(left);
  const rightParts = parseVersion(right);
  for (const [index, part] of leftParts.entries()) {
    const other = rightParts[index] ?? 0n;
    if (part !== other) return part < other ? -1 : 1;
  }
  return 0;
}

/** True for one of `supportedVersions`, spelled exactly so. */
export function isSupportedVersion(version: string): boolean {
  return supportedVersions.some((known) => known === version);
}

/** True if `version` is one and is not below `minimum`; what is no version has none of the newer verbs. */
export function versionReaches(version: string, minimum: string): boolean {
  try {
    return compareVersions(version, minimum) >= 0;
  } catch (error) {
    if (error instanceof UnsupportedVersionError) return false;
    throw error;
  }
}
