import { accessSync, readFileSync } from "node:fs";
import { delimiter } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { type MetricFacts, metricTable, processMetricTable } from "../../src/observability/metric-table.ts";
import { runProgram } from "../support/run-program.ts";

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

interface AlertTest {
  readonly alert_rule_test: readonly {
    readonly alertname: string;
    readonly exp_alerts: readonly unknown[];
  }[];
}

const repository = fileURLToPath(new URL("../..", import.meta.url));
const text = (file: string) => readFileSync(`${repository}${file}`, "utf8");
const { groups } = parse(text("deploy/alerts.yaml")) as {
  groups: readonly { readonly rules: readonly Rule[] }[];
};
const rules = groups.flatMap((group) => group.rules);
const tests = (parse(text("deploy/alerts.test.yaml")) as { tests: readonly AlertTest[] }).tests;

/** Of Prometheus itself: the target's own labels and whether it was scraped. */
const targetLabels = ["instance", "job"];
const up: MetricFacts = { name: "up", type: "gauge", help: "", labels: [] };

const metrics: readonly MetricFacts[] = [
  ...Object.values(metricTable),
  ...Object.values(processMetricTable),
  up,
];

/** Metrics that an expression reads, with the labels that it selects, and those that it sums by. */
function readExpression(expr: string) {
  const reads = [...expr.matchAll(/\b([a-z][a-z0-9_]*_[a-z0-9_]+|up)\b(?:\{([^}]*)\})?/g)].map(
    ([, name = "", selector = ""]) => ({
      name,
      labels: [...selector.matchAll(/([a-z]+)\s*[=!]/g)].map(([, label = ""]) => label),
    }),
  );
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = ""]) => list.split(/,\s*/));
  return { reads, grouped };
}

/** What promtool is not: in the search path, or where tools/install-promtool.sh puts it. */
function findPromtool(): string | undefined {
  const directories = [
    ...(process.env["PATH"] ?? "").split(delimiter),
    `${repository}node_modules/.cache/promtool`,
  ];
  return directories.map((directory) => `${directory}/promtool`).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, 1);
    return true;
  } catch {
    return false;
  }
}

describe("deploy/alerts.yaml", () => {
  it.each(rules)("$alert reads metrics and labels that there are", ({ expr }) => {
    const { reads, grouped } = readExpression(expr);

    expect(reads.length).toBeGreaterThan(0);
    for (const { name, labels } of reads) {
      const facts = metrics.find((metric) => metric.name === name);
      expect(facts, name).toBeDefined();
      for (const label of [...labels, ...grouped])
        expect([...(facts?.labels ?? []), ...targetLabels]).toContain(label);
    }
  });

  it.each(rules)(
    "$alert says how bad it is, what it means and where to read on",
    ({ labels, annotations }) => {
      expect(["warning", "critical"]).toContain(labels["severity"]);
      expect(annotations["summary"]).toContain("{{ $labels.instance }}");
      expect(annotations["description"]).toMatch(/\.$/);
      const [file = "", heading = ""] = (annotations["runbook_url"] ?? "").split("#");
      const headings = [...text(file).matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
        title
          .toLowerCase()
          .replaceAll(/[^a-z0-9 -]/g, "")
          .replaceAll(" ", "-"),
      );
      expect(headings).toContain(heading);
    },
  );

  it.each(rules)("$alert is seen to fire", ({ alert }) => {
    const own = tests.flatMap((test) => test.alert_rule_test.filter(({ alertname }) => alertname === alert));

    expect(own.some(({ exp_alerts }) => exp_alerts.length > 0)).toBe(true);
  });
});

describe("promtool", () => {
  const promtool = findPromtool();

  beforeEach((context) => {
    context.skip(promtool === undefined, "needs promtool: run tools/install-promtool.sh");
  });

  it.each([
    ["check", "rules", "deploy/alerts.yaml"],
    ["test", "rules", "deploy/alerts.test.yaml"],
  ])("%s %s %s", async (...args) => {
    const [verb = "", what = "", file = ""] = args;
    const outcome = await runProgram({ program: promtool ?? "", args: [verb, what, `${repository}${file}`] });

    expect(outcome, outcome.stderr + outcome.stdout).toMatchObject({ code: 0 });
  });
});
