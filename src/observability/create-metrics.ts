import { Registry } from "prom-client";
import type { Instruments } from "../attachments/instruments.ts";
import { createInstruments } from "./create-instruments.ts";
import { commandLabel, LabelBudget, methodLabel, statusLabel } from "./label-budget.ts";
import { createSeries, positive } from "./metric-series.ts";
import { registerProcessMetrics } from "./process-metrics.ts";

export interface Metrics {
  /** What the domain counts. */
  readonly instruments: Instruments;
  /** Of `metricsText`. */
  readonly contentType: string;
  /** Everything in the text form of Prometheus. */
  metricsText(): Promise<string>;
  /** One HTTP request; `handler` is the route's pattern, never the path that was asked for. */
  serverRequest(facts: { readonly handler: string; readonly code: string; readonly method: string }): void;
  configReload(outcome: "applied" | "refused"): void;
  /** From the shim's start, which it sends, to the reply. */
  shimDuration(command: string, seconds: number): void;
  /** A shim that sees another spool directory than the daemon. */
  foreignSpool(): void;
}

/** Metrics in a registry of their own. Nothing of what it returns throws, whatever it is given. */
export function createMetrics(build: { readonly version: string }): Metrics {
  const registry = new Registry();
  const series = createSeries(registry);
  const handlers = new LabelBudget(40);
  registerProcessMetrics(registry);
  series.buildInfo.set({ version: build.version, node: process.versions.node }, 1);
  series.configReloads.inc({ outcome: "applied" }, 0);
  series.configReloads.inc({ outcome: "refused" }, 0);
  return {
    instruments: createInstruments(series),
    contentType: registry.contentType,
    metricsText: () => registry.metrics(),
    serverRequest({ handler, code, method }) {
      const labels = {
        handler: handlers.bound(handler),
        code: statusLabel(code),
        method: methodLabel(method),
      };
      series.serverRequests.inc(labels);
    },
    configReload: (outcome) => series.configReloads.inc({ outcome }),
    foreignSpool: () => series.foreignSpools.inc(),
    shimDuration: (command, seconds) =>
      series.shimSeconds.observe({ command: commandLabel(command) }, positive(seconds)),
  };
}
