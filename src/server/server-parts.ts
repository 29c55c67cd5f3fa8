import type { Log } from "../attachments/instruments.ts";
import type { CniOperations } from "../attachments/invocation.ts";
import type { BootClock } from "../attachments/ports.ts";
import type { OperatorQueries, Readiness } from "../attachments/views.ts";

import type { ShimFacts } from "./shim-facts.ts";

/** What the routes call. */
export interface UseCases {
  readonly cni: CniOperations;
  readonly operator: OperatorQueries;
}

/** One answered request; labels of `multus_server_request_total`, all from closed sets. */
export interface RequestCount {
  /** The route's pattern, or `NotFound` as upstream calls it. */
  readonly handler: string;
  /** HTTP status; `499` where the caller had gone before the reply. */
  readonly code: string;
  /** Lower case. */
  readonly method: string;
}

export interface RenderedMetrics {
  readonly contentType: string;
  readonly text: string;
}

/** Everything that the server needs from outside. */
export interface ServerParts {
  /**
   * Settles when the daemon may work (it holds the lock of its state directory). Until then probes are answered and
   * everything else is held, for as long as its caller waits; if it rejects, everything else is `not-ready`.
   */
  readonly useCases: Promise<UseCases>;
  readonly readiness: Readiness;
  readonly clock: BootClock;
  readonly renderMetrics: () => Promise<RenderedMetrics>;
  /** Must not throw. */
  readonly countRequest: (count: RequestCount) => void;
  /** Called as the reply to our own shim is ready. Must not throw. */
  readonly noteShim: (facts: ShimFacts) => void;
  readonly log: Log;
  /** Of the daemon, for `server` headers and `/openapi.json`. */
  readonly version: string;
}
