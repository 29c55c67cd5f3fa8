import { Failure } from "../attachments/failure.ts";
import { abortable } from "../foundation/abort.ts";
import type { ServerParts, UseCases } from "./server-parts.ts";

/**
 * Waits until the daemon may work (after a take-over: until its predecessor has let the state directory go), as long as
 * the caller does.
 * @throws the signal's reason, or `Failure` `not-ready` if the daemon could not start
 */
export async function whenStarted(parts: ServerParts, signal: AbortSignal): Promise<UseCases> {
  try {
    return await abortable(parts.useCases, signal);
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    throw new Failure("not-ready", "multusd on this node could not start; its log says why", { cause });
  }
}
