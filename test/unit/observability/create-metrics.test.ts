import { describe, expect, it } from "vitest";
import { createMetrics, type Metrics } from "../../../src/observability/create-metrics.ts";
import { metricTable, processMetricTable } from "../../../src/observability/metric-table.ts";
import { sumMetric } from "../../support/metrics.ts";

const open = () => createMetrics({ version: "1.2.3" });

function failDelete({ instruments }: Metrics, network: string, code: number): void {
  instruments.delFailure({ network, plugin: "bridge", policy: "deferred", decision: "deferred", code });
}

async function labelValues(metrics: Metrics, name: string, label: string): Promise<ReadonlySet<string>> {
  const text = await metrics.metricsText();
  const samples = text.split("\n").filter((line) => line.startsWith(`${name}{`));
  return new Set(samples.map((line) => new RegExp(`[{,]${label}="([^"]*)"`).exec(line)?.[1] ?? ""));
}

describe("the metrics", () => {
  it("are all there from the start, each with help and type", async () => {
    const text = await open().metricsText();
    for (const { name, type } of [...Object.values(metricTable), ...Object.values(processMetricTable)]) {
      expect(text).toContain(`# HELP ${name} `);
      expect(text).toContain(`# TYPE ${name} ${type}`);
    }
    expect(text).toContain('multus_build_info{version="1.2.3"');
  });

  it("are each daemon's own: two registries know nothing of each other", async () => {
    const [one, two] = [open(), open()];
    one.instruments.spooledDeletion();
    expect(sumMetric(await one.metricsText(), "multus_spooled_deletions_total")).toBe(1);
    expect(sumMetric(await two.metricsText(), "multus_spooled_deletions_total")).toBe(0);
  });

  it("count HTTP requests as upstream does", async () => {
    const metrics = open();
    metrics.serverRequest({ handler: "/cni", code: "200", method: "POST" });
    metrics.serverRequest({ handler: "/cni", code: "200", method: "post" });
    const labels = { handler: "/cni", code: "200", method: "post" };
    expect(sumMetric(await metrics.metricsText(), "multus_server_request_total", labels)).toBe(2);
  });

  it("count configuration reloads, both outcomes from 0", async () => {
    const metrics = open();
    expect(await metrics.metricsText()).toContain('multus_config_reloads_total{outcome="refused"} 0');
    metrics.configReload("refused");
    expect(await metrics.metricsText()).toContain('multus_config_reloads_total{outcome="refused"} 1');
  });

  it("time requests, plugins, waits and the shim", async () => {
    const metrics = open();
    const { instruments } = metrics;
    instruments.cniRequest({ command: "ADD", outcome: "success", code: 0, seconds: 0.2 });
    instruments.delegateExecution({
      network: "n",
      plugin: "p",
      command: "ADD",
      outcome: "success",
      seconds: 0.1,
    });
    instruments.queueWait("del", 0.01);
    metrics.shimDuration("ADD", 0.3);
    const text = await metrics.metricsText();
    for (const name of [
      "multus_cni_request_duration_seconds",
      "multus_delegate_duration_seconds",
      "multus_queue_wait_seconds",
      "multus_shim_duration_seconds",
    ]) {
      expect(sumMetric(text, `${name}_count`)).toBe(1);
    }
  });
});

describe("counters of failed DELs", () => {
  it("stand at 0 from a network's first ADD, so that the first failure is an increase", async () => {
    const metrics = open();
    metrics.instruments.networkSeen("ns/net", ["bridge", "tuning"]);
    const before = await metrics.metricsText();
    const labels = 'network="ns/net",plugin="bridge",policy="deferred",decision="deferred"';
    expect(before).toContain(`multus_del_failures_total{${labels},code="999"} 0`);
    expect(before).toContain(`multus_del_failures_total{${labels},code="other"} 0`);
    expect(before).toContain('multus_deletions_dead_total{network="ns/net",reason="age"} 0');
    failDelete(metrics, "ns/net", 42);
    expect(await metrics.metricsText()).toContain(`multus_del_failures_total{${labels},code="other"} 1`);
  });

  it("name the codes of the specification, and no other", async () => {
    const metrics = open();
    for (const code of [0, 7, 11, 12, 42, 50, 51, 100, 999, 1000, -1, Number.NaN, 1.5])
      failDelete(metrics, "n", code);
    const codes = await labelValues(metrics, "multus_del_failures_total", "code");
    expect([...codes].toSorted()).toEqual(["0", "11", "50", "51", "7", "999", "other"]);
  });
});

describe("label values", () => {
  it("of networks are 200, the rest is `other`, and nothing is lost", async () => {
    const metrics = open();
    for (let index = 0; index < 300; index += 1) failDelete(metrics, `ns/net-${index}`, 999);
    failDelete(metrics, "ns/net-0", 999);
    const networks = await labelValues(metrics, "multus_del_failures_total", "network");
    expect(networks.size).toBe(201);
    expect(networks).toContain("other");
    const text = await metrics.metricsText();
    expect(sumMetric(text, "multus_del_failures_total")).toBe(301);
    expect(sumMetric(text, "multus_del_failures_total", { network: "ns/net-0" })).toBe(2);
    expect(sumMetric(text, "multus_del_failures_total", { network: "other" })).toBe(100);
  });

  it("of plugins are 100, and of pairs 1000", async () => {
    const metrics = open();
    for (let network = 0; network < 20; network += 1) {
      for (let plugin = 0; plugin < 150; plugin += 1) {
        metrics.instruments.delegateExecution({
          network: `n${network}`,
          plugin: `p${plugin}`,
          command: "ADD",
          outcome: "success",
          seconds: 0.1,
        });
      }
    }
    expect((await labelValues(metrics, "multus_delegate_executions_total", "plugin")).size).toBe(101);
    const text = await metrics.metricsText();
    const series = text.split("\n").filter((line) => line.startsWith("multus_delegate_executions_total{"));
    expect(series.length).toBeLessThanOrEqual(1001);
    expect(sumMetric(text, "multus_delegate_executions_total")).toBe(3000);
  });

  it("of everything else are closed, too", async () => {
    const metrics = open();
    for (let index = 0; index < 100; index += 1) {
      metrics.serverRequest({ handler: `/x${index}`, code: `${index}`, method: `M${index}` });
      metrics.instruments.cniRequest({ command: `C${index}`, outcome: "failure", code: 7, seconds: 1 });
      metrics.instruments.queueWait(`lane-${index}`, 1);
      metrics.instruments.deletionDead("n", `reason ${index}`);
    }
    expect((await labelValues(metrics, "multus_server_request_total", "handler")).size).toBeLessThanOrEqual(
      41,
    );
    expect((await labelValues(metrics, "multus_server_request_total", "code")).size).toBe(1);
    expect((await labelValues(metrics, "multus_cni_requests_total", "command")).size).toBe(1);
    expect((await labelValues(metrics, "multus_queue_wait_seconds_count", "lane")).size).toBeLessThanOrEqual(
      11,
    );
    expect((await labelValues(metrics, "multus_deletions_dead_total", "reason")).size).toBeLessThanOrEqual(
      21,
    );
  });

  it("may hold what would break the text form", async () => {
    const metrics = open();
    failDelete(metrics, 'a"b\\c\nd', 999);
    expect(await metrics.metricsText()).toContain('network="a\\"b\\\\c\\nd"');
  });
});

describe("gauges of owed deletions", () => {
  it("fall to 0 for a network that owes nothing any more", async () => {
    const metrics = open();
    const { instruments } = metrics;
    instruments.deletionsOwed(
      [
        { network: "a", state: "pending", count: 2 },
        { network: "b", state: "dead", count: 1 },
      ],
      60,
    );
    expect(sumMetric(await metrics.metricsText(), "multus_deletions_pending", { network: "a" })).toBe(2);
    instruments.deletionsOwed([{ network: "b", state: "dead", count: 1 }], 0);
    const text = await metrics.metricsText();
    expect(text).toContain('multus_deletions_pending{network="a",state="pending"} 0');
    expect(text).toContain('multus_deletions_pending{network="b",state="dead"} 1');
    expect(text).toContain("multus_deletions_oldest_age_seconds 0");
  });
});

describe("no instrument throws", () => {
  it.each([Number.NaN, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, -1])(
    "for the number %s",
    async (odd) => {
      const metrics = open();
      const { instruments } = metrics;
      instruments.cniRequest({ command: "ADD", outcome: "success", code: odd, seconds: odd });
      instruments.queueWait("add", odd);
      instruments.sandboxes(odd);
      instruments.delegatesRunning(odd);
      instruments.deletionsOwed([{ network: "n", state: "pending", count: odd }], odd);
      metrics.shimDuration("ADD", odd);
      expect(await metrics.metricsText()).toContain("multus_sandboxes 0");
    },
  );
});
