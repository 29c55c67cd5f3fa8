import { readdirSync, readFileSync } from "node:fs";
import { Counter, Gauge, type Registry } from "prom-client";
import { type MetricFacts, processMetricTable as table } from "./metric-table.ts";

/**
 * Read when they are asked for, and not a moment before: the stock collectors of the library keep a timer of 10 ms
 * for the event loop's delay, which would wake an idle node's CPU a hundred times a second.
 */
export function registerProcessMetrics(registry: Registry): void {
  registerCpu(registry);
  gauge(registry, table.startTime, () => performance.timeOrigin / 1000);
  gauge(registry, table.residentBytes, () => process.memoryUsage.rss());
  // Reading the directory opens one more.
  gauge(registry, table.openDescriptors, () => readdirSync("/proc/self/fd").length - 1);
  gauge(registry, table.maxDescriptors, readDescriptorLimit);
  gauge(registry, table.heapUsedBytes, () => process.memoryUsage().heapUsed);
  gauge(registry, table.heapTotalBytes, () => process.memoryUsage().heapTotal);
  gauge(registry, table.externalBytes, () => process.memoryUsage().external);
  let last = performance.eventLoopUtilization();
  gauge(registry, table.loopUtilization, () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  });
}

function registerCpu(registry: Registry): void {
  new Counter({
    name: table.cpuSeconds.name,
    help: table.cpuSeconds.help,
    registers: [registry],
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
}

function gauge(registry: Registry, facts: MetricFacts, read: () => number): void {
  new Gauge({
    name: facts.name,
    help: facts.help,
    registers: [registry],
    collect() {
      this.set(attempt(read));
    },
  });
}

/** Without /proc a value is missing; the others of the scrape are not. */
function attempt(read: () => number): number {
  try {
    return read();
  } catch {
    return Number.NaN;
  }
}

function readDescriptorLimit(): number {
  const [, limit] = /^Max open files\s+(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
  return limit === "unlimited" ? Number.POSITIVE_INFINITY : Number(limit);
}
