import type { CniResult, ResultCache } from "../cni/index.ts";
import type { Delegate } from "./delegate.ts";
import { Failure } from "./failure.ts";

/**
 * Writes the result cache record of a delegate, as libcni does at the end of its ADD.
 * @throws {Failure} `storage-failed`
 */
export async function cacheResult(
  cache: ResultCache | undefined,
  { attachment, list, network }: Delegate,
  result: CniResult,
): Promise<void> {
  const { containerId, ifName, netns, args, capabilityArgs } = attachment;
  const record = {
    networkName: list.name,
    containerId,
    ifName,
    netns,
    config: list.text,
    args,
    capabilityArgs,
    result,
  };
  try {
    await cache?.write(record);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Failure("storage-failed", `network "${network}": its result cannot be cached: ${reason}`, {
      cause,
    });
  }
}
