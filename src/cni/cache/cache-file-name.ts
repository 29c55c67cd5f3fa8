import { InvalidEnvironmentError } from "../errors/environment-error.ts";
import { goQuote } from "../errors/go-quote.ts";
import type { CacheKey } from "./cache-record.ts";

const maxFileNameBytes = 255;

/**
 * libcni's name of an attachment's file. Ambiguous, since each part may have a dash: hence the check of the content.
 * @throws {InvalidEnvironmentError} if a part is empty or could lead out of the directory
 * @see libcni `CNIConfig.getCacheFilePath`
 */
export function cacheFileName(key: CacheKey): string {
  const { networkName, containerId, ifName } = key;
  const parts = [networkName, containerId, ifName];
  if (parts.includes("")) {
    const names = `network name (${goQuote(networkName)}), container ID (${goQuote(containerId)})`;
    throw new InvalidEnvironmentError(
      `cache file path requires ${names}, and interface name (${goQuote(ifName)})`,
    );
  }
  const name = parts.join("-");
  if (/[/\0]/.test(name))
    throw new InvalidEnvironmentError(`no file name for a cached result: ${goQuote(name)}`);
  return name;
}

/** True if a file of that name cannot be made; libcni finds it out when all plugins have run. */
export function isCacheFileNameTooLong(key: CacheKey): boolean {
  return Buffer.byteLength(cacheFileName(key)) > maxFileNameBytes;
}
