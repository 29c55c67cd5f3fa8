import { type MetricFacts, metricTable, processMetricTable } from "./metric-table.ts";

/** All metrics as Markdown, for `docs/metrics.md` between its markers `generated:metrics`. */
export function renderMetricsReference(): string {
  return [section("Of multusd", metricTable), section("Of the process", processMetricTable)].join("\n\n");
}

function section(title: string, table: Readonly<Record<string, MetricFacts>>): string {
  const rows = Object.values(table).map(({ name, type, labels, help }) => {
    const shown = labels.map((label) => `\`${label}\``).join(", ");
    return `| \`${name}\` | ${type} | ${shown} | ${help} |`;
  });
  return [`### ${title}`, "", "| metric | type | labels | meaning |", "|---|---|---|---|", ...rows].join(
    "\n",
  );
}
