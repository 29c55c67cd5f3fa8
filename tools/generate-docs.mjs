import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { renderHelpPage } from "../src/cli/render-help-page.ts";
import { renderConfigurationReference } from "../src/config/render-configuration-reference.ts";
import { renderMetricsReference } from "../src/observability/render-metrics-reference.ts";
import { renderFailureTable } from "../src/server/render-failure-table.ts";
import { replaceGenerated } from "./docs/generated-section.mjs";

/** Writes the generated parts of the pages below docs/. With --check it writes nothing and exits 1 if one is stale. */
const sections = [
  { page: "configuration.md", name: "configuration", render: renderConfigurationReference },
  { page: "metrics.md", name: "metrics", render: renderMetricsReference },
  { page: "failures.md", name: "failure-table", render: renderFailureTable },
  { page: "multusctl.md", name: "multusctl-help", render: renderHelpPage },
];

const isCheck = process.argv.includes("--check");
for (const { page, name, render } of sections) {
  const file = fileURLToPath(new URL(`../docs/${page}`, import.meta.url));
  const shown = await readFile(file, "utf8");
  const wanted = replaceGenerated(shown, name, render());
  if (wanted === shown) continue;
  console.log(isCheck ? `docs/${page}: stale, run: node tools/generate-docs.mjs` : `docs/${page}: written`);
  if (isCheck) process.exitCode = 1;
  else await writeFile(file, wanted);
}
