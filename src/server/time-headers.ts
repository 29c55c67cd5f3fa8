import type { IncomingHttpHeaders } from "node:http";
import type { BootClock } from "../attachments/ports.ts";
import type { Generation } from "../attachments/sandbox.ts";

/** When a request began and when its caller gives up. */
export interface RequestTime {
  readonly generation: Generation;
  readonly deadlineNs?: bigint;
}

/**
 * What the shim says about time (docs/wire.md). Readings of another boot, or that are none, count as absent; without
 * a start the request began when it came. A start that lies ahead is not believed: no later ADD could be newer.
 */
export function readTimeHeaders(headers: IncomingHttpHeaders, clock: BootClock): RequestTime {
  const nowNs = clock.nowNs();
  const isOfThisBoot = headers["x-multusd-boot"] === clock.bootId;
  const startNs = isOfThisBoot ? readNanoseconds(headers["x-multusd-start"]) : undefined;
  const deadlineNs = isOfThisBoot ? readNanoseconds(headers["x-multusd-deadline"]) : undefined;
  const beganNs = startNs === undefined || startNs > nowNs ? nowNs : startNs;
  const generation = { bootId: clock.bootId, startNs: beganNs.toString() };
  return deadlineNs === undefined ? { generation } : { generation, deadlineNs };
}

/** A header that came twice is one text with a comma here, so it is none. */
function readNanoseconds(header: string | string[] | undefined): bigint | undefined {
  return typeof header === "string" && /^\d{1,19}$/.test(header) ? BigInt(header) : undefined;
}
