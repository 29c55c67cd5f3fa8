import { InvalidNetworkConfigError } from "../errors/configuration-errors.ts";
import { excerpt } from "../errors/excerpt.ts";
import { UnsupportedVersionError } from "../errors/result-errors.ts";
import { goTypeOf, jsonKind } from "../raw-json/json-kind.ts";
import { parseRawArray } from "../raw-json/raw-array.ts";
import { memberText, type RawObject } from "../raw-json/raw-object.ts";
import { compareVersions, currentVersion } from "../results/cni-version.ts";

const what = "error parsing configuration list";

/**
 * The version that a list's plugins are spoken to in: with `cniVersions` the highest of them and of `cniVersion`
 * that is not above ours, else `cniVersion` as it stands, unchecked.
 * @throws {InvalidNetworkConfigError}
 * @see SPEC.md §1 `cniVersions`; libcni `NetworkConfFromBytes`
 */
export function selectVersion(list: RawObject): string {
  const single = readSingle(list);
  const text = memberText(list, "cniVersions");
  if (text === undefined) return single;
  // libcni prints the type that it wanted here, not the one that it found.
  if (jsonKind(text) !== "array") {
    throw new InvalidNetworkConfigError(`${what}: invalid type for cniVersions: []interface {}`);
  }
  const known = parseRawArray(text).flatMap((entry, index) => {
    const version = readEntry(entry, index);
    return isAboveOurs(version, `cniVersions entry ${excerpt(version)} at index ${index}`) ? [] : [version];
  });
  if (single !== "" && !isAboveOurs(single, `cniVersion ${excerpt(single)}`)) known.push(single);
  return known.reduce((best, version) => (isHigher(version, best) ? version : best), known[0] ?? single);
}

function readSingle(list: RawObject): string {
  const text = memberText(list, "cniVersion");
  if (text === undefined) return "";
  if (jsonKind(text) !== "string") {
    throw new InvalidNetworkConfigError(`${what}: invalid cniVersion type ${goTypeOf(text)}`);
  }
  return JSON.parse(text) as string;
}

function readEntry(text: string, index: number): string {
  if (jsonKind(text) !== "string") {
    throw new InvalidNetworkConfigError(
      `${what}: invalid type for cniVersions index ${index}: ${goTypeOf(text)}`,
    );
  }
  return JSON.parse(text) as string;
}

function isAboveOurs(version: string, description: string): boolean {
  try {
    return compareVersions(version, currentVersion) > 0;
  } catch (error) {
    if (!(error instanceof UnsupportedVersionError)) throw error;
    throw new InvalidNetworkConfigError(`${what}: invalid ${description}: ${error.message}`, {
      cause: error,
    });
  }
}

function isHigher(left: string, right: string): boolean {
  return compareVersions(left, right) > 0;
}
