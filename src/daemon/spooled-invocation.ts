import { Failure } from "../attachments/failure.ts";
import type { CniInvocation } from "../attachments/invocation.ts";
import type { BootClock } from "../attachments/ports.ts";
import type { SpooledDeletion } from "../deletions/ports.ts";
import { readInvocation } from "../server/read-invocation.ts";

/**
 * A spooled DEL, read as leniently as one that comes over the socket; `undefined` if it names no container. It keeps
 * the shim's start as its generation, of an earlier boot too, and has no deadline: nobody waits for it.
 */
export function spooledInvocation(entry: SpooledDeletion, clock: BootClock): CniInvocation | undefined {
  const body = {
    env: { ...entry.env, CNI_COMMAND: "DEL" },
    config: Buffer.from(entry.config).toString("base64"),
  };
  const requestId = `spool-${entry.name}`;
  try {
    const { invocation } = readInvocation({ body, schemaProblem: undefined, headers: {}, requestId }, clock);
    return { ...invocation, generation: entry.generation };
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
