import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { daemonConfigSchema } from "../../../src/config/daemon-config-schema.ts";
import { parseDaemonConfig } from "../../../src/config/load-daemon-config.ts";
import { isObject } from "../../../src/config/parse-config-text.ts";
import { renderConfigurationReference } from "../../../src/config/render-configuration-reference.ts";

/** What the schema says stands in for absent keys, as a file. */
function defaultsOf(schema: unknown): unknown {
  if (!isObject(schema)) return undefined;
  if ("default" in schema) return schema["default"];
  if (!isObject(schema["properties"])) return undefined;
  const members = Object.entries(schema["properties"]).map(([key, member]) => [key, defaultsOf(member)]);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

describe("the reference of the configuration", () => {
  it("is what docs/configuration.md shows; else run node tools/generate-docs.mjs", async () => {
    const page = await readFile("docs/configuration.md", "utf8");
    const [, shown] =
      /<!-- generated:configuration -->\n([\s\S]*?)\n<!-- \/generated:configuration -->/.exec(page) ?? [];
    expect(shown).toBe(renderConfigurationReference());
  });

  it("has a line for every key, nested ones too, each with a meaning", () => {
    const rows = renderConfigurationReference()
      .split("\n")
      .filter((line) => line.startsWith("| `"));
    for (const key of Object.keys(daemonConfigSchema.properties)) {
      expect(rows.filter((row) => row.startsWith(`| \`${key}\` |`))).toHaveLength(1);
    }
    expect(rows.some((row) => row.startsWith("| `networks.<name>.timeouts.plugin` |"))).toBe(true);
    for (const row of rows) expect(row).toMatch(/\| [^|]*\w[^|]* \|$/);
  });

  it("shows the defaults that the loader fills in", () => {
    const written = parseDaemonConfig(JSON.stringify(defaultsOf(daemonConfigSchema)), "defaults");
    const absent = parseDaemonConfig("{}", "empty");
    expect({ ...written, rawText: "", warnings: [] }).toEqual({ ...absent, rawText: "", warnings: [] });
  });

  it("shows examples that are accepted", async () => {
    const page = await readFile("docs/configuration.md", "utf8");
    const examples = Array.from(page.matchAll(/```json\n([\s\S]*?)```/g), ([, text]) => text ?? "");
    expect(examples).toHaveLength(2);
    expect(parseDaemonConfig(examples[0] ?? "", "example").warnings).toEqual([]);
    expect(
      parseDaemonConfig(`{"delErrorPolicy": ${examples[1]}}`, "example").delErrorPolicy.ignore,
    ).toHaveLength(3);
  });
});
