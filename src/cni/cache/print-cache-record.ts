import { printResult } from "../results/print-result.ts";
import { type CacheRecord, cacheKind } from "./cache-record.ts";

/** JSON text of a record in libcni's format and order of keys; what is empty is left out as there. */
export function printCacheRecord(record: CacheRecord): string {
  const { containerId, ifName, networkName, netns, args, result } = record;
  const capabilities = Object.entries(record.capabilityArgs);
  const members: readonly (string | undefined)[] = [
    member("kind", cacheKind),
    member("containerId", containerId),
    member("config", Buffer.from(record.config ?? "").toString("base64")),
    member("ifName", ifName),
    member("networkName", networkName),
    netns === "" ? undefined : member("netns", netns),
    args.length === 0 ? undefined : member("cniArgs", args),
    capabilities.length === 0 ? undefined : `"capabilityArgs":${printRawMap(capabilities)}`,
    result === undefined ? undefined : `"result":${printResult(result)}`,
  ];
  return `{${members.filter((text) => text !== undefined).join(",")}}`;
}

function member(key: string, value: unknown): string {
  return `${JSON.stringify(key)}:${JSON.stringify(value)}`;
}

function printRawMap(entries: readonly (readonly [string, string])[]): string {
  return `{${entries.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(",")}}`;
}
