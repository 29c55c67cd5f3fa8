import { controllerFields } from "./controller-fields.ts";
import { generatorFields } from "./generator-fields.ts";
import { multusdFields } from "./multusd-fields.ts";
import { isObject } from "./parse-config-text.ts";
import { requestFields } from "./request-fields.ts";

/** The reference of all keys as Markdown, for `docs/configuration.md` between its markers `generated:configuration`. */
export function renderConfigurationReference(): string {
  return [
    section("Keys of multusd", multusdFields),
    section("Upstream's keys for the daemon", controllerFields),
    section("Upstream's keys that are laid over every request", requestFields),
    section("Upstream's keys for directories and for the runtime's configuration", generatorFields),
  ].join("\n\n");
}

type Schema = Readonly<Record<string, unknown>>;

function section(title: string, fields: Readonly<Record<string, object>>): string {
  const rows = Object.entries(fields).flatMap(([key, schema]) => rowsOf(key, { ...schema }));
  return [`### ${title}`, "", "| key | type | default | meaning |", "|---|---|---|---|", ...rows].join("\n");
}

function rowsOf(path: string, schema: Schema): readonly string[] {
  const { properties, additionalProperties } = schema;
  const below = isObject(properties)
    ? members(path, properties)
    : isObject(additionalProperties) && isObject(additionalProperties["properties"])
      ? members(`${path}.<name>`, additionalProperties["properties"])
      : [];
  return [row(path, schema), ...below];
}

function members(path: string, properties: Schema): readonly string[] {
  return Object.entries(properties).flatMap(([key, schema]) =>
    isObject(schema) ? rowsOf(`${path}.${key}`, schema) : [],
  );
}

function row(path: string, schema: Schema): string {
  const cells = [`\`${path}\``, describeType(schema), describeDefault(schema), describeMeaning(schema)];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

function describeType(schema: Schema): string {
  const { form, type, items, minimum, maximum } = schema;
  if (Array.isArray(schema["enum"])) return schema["enum"].map((value) => `\`${value}\``).join(", ");
  if (typeof form === "string") return form;
  if (type === "array") return `array of ${isObject(items) ? items["type"] : "values"}s`;
  if (type === "integer") return `integer, ${minimum} to ${maximum}`;
  return String(type);
}

function describeDefault(schema: Schema): string {
  const { defaultText } = schema;
  if (typeof defaultText === "string") return defaultText;
  return "default" in schema ? `\`${JSON.stringify(schema["default"])}\`` : "";
}

function describeMeaning(schema: Schema): string {
  const { description, inactive } = schema;
  const note = typeof inactive === "string" ? ` **Accepted, without effect:** ${inactive}.` : "";
  return `${typeof description === "string" ? description : ""}${note}`;
}
