import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { metricTable } from "../../../src/observability/metric-table.ts";
import { renderMetricsReference } from "../../../src/observability/render-metrics-reference.ts";

describe("the reference of the metrics", () => {
  it("is what docs/metrics.md shows; else run node tools/generate-docs.mjs", async () => {
    const page = await readFile("docs/metrics.md", "utf8");
    const [, shown] = /<!-- generated:metrics -->\n([\s\S]*?)\n<!-- \/generated:metrics -->/.exec(page) ?? [];
    expect(shown).toBe(renderMetricsReference());
  });

  it("names in the text only metrics that are there", async () => {
    const page = await readFile("docs/metrics.md", "utf8");
    const names: readonly string[] = Object.values(metricTable).map((metric) => metric.name);
    for (const [name] of page.matchAll(/multus_[a-z_]+/g)) expect(names).toContain(name);
  });
});
