import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { type MetricFacts, metricTable } from "./metric-table.ts";

type Table = typeof metricTable;
type Label<K extends keyof Table> = Table[K]["labels"][number];

/** The library's object for each line of the table. */
export type Series = {
  readonly [K in keyof Table]: Table[K]["type"] extends "counter"
    ? Counter<Label<K>>
    : Table[K]["type"] extends "gauge"
      ? Gauge<Label<K>>
      : Histogram<Label<K>>;
};

/** Makes every metric of the table in `registry`. */
export function createSeries(registry: Registry): Series {
  const entries = Object.entries<MetricFacts>(metricTable).map(([key, facts]) => [
    key,
    create(facts, registry),
  ]);
  return Object.fromEntries(entries) as Series;
}

function create({ name, type, help, labels, buckets = [] }: MetricFacts, registry: Registry) {
  const options = { name, help, labelNames: labels, registers: [registry] };
  if (type === "counter") return new Counter(options);
  if (type === "gauge") return new Gauge(options);
  return new Histogram({ ...options, buckets: [...buckets] });
}

/** The library throws for what is no number or would count down. */
export function positive(value: number): number {
  return Number.isFinite(value) && value > 0 ? value : 0;
}
