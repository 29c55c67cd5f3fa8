import type { NetworkList } from "../configuration/network-list.ts";
import { ResultCacheError } from "../errors/cache-error.ts";
import { CniError } from "../errors/cni-error.ts";
import { goQuote } from "../errors/go-quote.ts";
import type { Attachment, CniRuntime } from "../plugins/cni-runtime.ts";
import type { CniResult } from "../results/cni-result.ts";
import { isSupportedVersion } from "../results/cni-version.ts";
import { convertResult } from "../results/convert-result.ts";

/** From this version on plugins get the result of ADD for CHECK and DEL. */
export const prevResultVersion = "0.4.0";

/**
 * The result in the list's version, or as it is where it cannot be converted: then a plugin gets what libcni would
 * give it, which never converts here, so that this can only turn failures into successes.
 */
export function inListVersion(result: CniResult, list: Pick<NetworkList, "cniVersion">): CniResult {
  if (list.cniVersion !== "" && !isSupportedVersion(list.cniVersion)) return result;
  try {
    return convertResult(result, list.cniVersion);
  } catch (error) {
    if (error instanceof CniError) return result;
    throw error;
  }
}

/** A prevResult for DEL, or why there is none although something is cached. */
export interface PreviousResult {
  readonly result?: CniResult;
  readonly problem?: string;
}

/**
 * The cached result in the list's version, for DEL: what cannot be used counts as missing and is reported.
 * @throws {ResultCacheError} for a passing read error
 */
export async function cachedResultForDelete(
  cni: CniRuntime,
  list: NetworkList,
  attachment: Attachment,
): Promise<PreviousResult> {
  const found = await cni.cache?.read(list.name, attachment.containerId, attachment.ifName);
  if (found === undefined || found.kind === "missing") return {};
  if (found.kind === "corrupt")
    return { problem: `cached result in ${found.file} is corrupt: ${found.reason}` };
  return found.record.result === undefined ? {} : convertForDelete(found.record.result, list);
}

/** A result in the list's version, or what is wrong with it. */
export function convertForDelete(result: CniResult, list: NetworkList): PreviousResult {
  try {
    return { result: convertResult(result, list.cniVersion) };
  } catch (error) {
    if (!(error instanceof CniError)) throw error;
    return { problem: conversionProblem(list, error) };
  }
}

/**
 * The cached result in the list's version, for CHECK: a missing one is none, a corrupt one an error.
 * @throws {ResultCacheError}
 * @see libcni `getCachedResult`
 */
export async function cachedResultForCheck(
  cni: CniRuntime,
  list: NetworkList,
  attachment: Attachment,
): Promise<CniResult | undefined> {
  const found = await cni.cache?.read(list.name, attachment.containerId, attachment.ifName);
  if (found === undefined || found.kind === "missing") return undefined;
  const what = `failed to get network ${goQuote(list.name)} cached result`;
  if (found.kind === "corrupt") {
    throw new ResultCacheError(`${what}: ${found.reason}`, { details: found.file });
  }
  const { result } = found.record;
  if (result === undefined) return undefined;
  const { result: converted, problem } = convertForDelete(result, list);
  if (converted === undefined) throw new ResultCacheError(`${what}: ${problem}`);
  return converted;
}

function conversionProblem(list: NetworkList, error: CniError): string {
  return `failed to convert cached result to config version ${goQuote(list.cniVersion)}: ${error.message}`;
}
