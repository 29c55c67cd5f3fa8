import { describe, expect, it } from "vitest";
import { metricTable } from "../../src/observability/metric-table.ts";
import { documentedTable } from "../support/markdown-table.ts";
import { read, trackedFiles } from "./repository.ts";

describe("docs/del.md", () => {
  const text = read("docs/del.md");

  it("names log lines that are there", () => {
    const source = trackedFiles()
      .filter((file) => /^src\/.*\.ts$/.test(file))
      .map(read)
      .join("\n");
    const lines = documentedTable("docs/del.md", "log-lines").map((row) => row["log line"] ?? "");

    expect(lines.length).toBeGreaterThan(10);
    expect(lines.filter((line) => !source.includes(`"${line}"`))).toEqual([]);
  });

  it("names metrics that are there", () => {
    const named = new Set([...text.matchAll(/`(multus_[a-z_]+)`/g)].map(([, name = ""]) => name));
    const known = Object.values(metricTable).map(({ name }) => name as string);

    expect(named.size).toBeGreaterThan(8);
    expect([...named].filter((name) => !known.includes(name))).toEqual([]);
  });

  it("says what to do about every alert", () => {
    const alerts = [...read("deploy/alerts.yaml").matchAll(/alert: (\w+)/g)].map(([, name = ""]) => name);

    expect(alerts.length).toBeGreaterThan(5);
    expect(alerts.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });
});
