import type { IncomingHttpHeaders } from "node:http";
import type { CniCommand } from "../attachments/invocation.ts";
import type { BootClock } from "../attachments/ports.ts";
import { nsToMs } from "../foundation/clock.ts";

/** What our shim says of itself with a request (docs/wire.md); nothing of it decides anything. */
export interface ShimFacts {
  readonly command: CniCommand;
  /** From the shim's start to the reply; absent where it did not say, or is of another boot. */
  readonly seconds?: number;
  /** `<device>:<inode>` of the spool directory that it sees. */
  readonly spool?: string;
}

/** Reads them when the reply is on its way; `undefined` for upstream's shim. */
export function readShimFacts(
  headers: IncomingHttpHeaders,
  command: CniCommand,
  clock: BootClock,
): ShimFacts | undefined {
  if (headers["x-multusd-shim"] === undefined) return undefined;
  const seconds = secondsSince(headers, clock);
  const spool = headers["x-multusd-spool"];
  return {
    command,
    ...(seconds === undefined ? {} : { seconds }),
    ...(typeof spool === "string" && /^\d{1,20}:\d{1,20}$/.test(spool) ? { spool } : {}),
  };
}

function secondsSince(headers: IncomingHttpHeaders, clock: BootClock): number | undefined {
  const start = headers["x-multusd-start"];
  if (headers["x-multusd-boot"] !== clock.bootId) return undefined;
  if (typeof start !== "string" || !/^\d{1,19}$/.test(start)) return undefined;
  const tookNs = clock.nowNs() - BigInt(start);
  return tookNs < 0n ? undefined : nsToMs(tookNs) / 1000;
}
