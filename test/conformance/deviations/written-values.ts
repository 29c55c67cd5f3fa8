import { isDeepStrictEqual } from "node:util";
import { isObject, type Json, tryParseJson } from "../json-text.ts";
import type { Scenario } from "../scenario.ts";

type JsonObject = Readonly<Record<string, Json>>;

/** Everything in the scenario's files that may be a plugin configuration, with its numbers as they were written. */
export function pluginsIn(scenario: Scenario): readonly JsonObject[] {
  return documentsIn(scenario).flatMap((document) => {
    const plugins = document["plugins"];
    return [document, ...(Array.isArray(plugins) ? plugins.filter(isObject) : [])];
  });
}

/** Is it, number by number, what somebody wrote as the value of that key? */
export function isWritten(scenario: Scenario, key: string, value: Json): boolean {
  if (key === "config")
    return pluginsIn(scenario).some((plugin) => isDeepStrictEqual([plugin], pluginsOf(value)));
  const holders = [...pluginsIn(scenario), ...argumentsIn(scenario)];
  const isValue = (wanted: Json, name: string) =>
    holders.some((holder) => Object.hasOwn(holder, name) && isDeepStrictEqual(holder[name], wanted));
  if (isValue(value, key)) return true;
  // Made of single arguments by the runtime.
  const isMade = key === "runtimeConfig" || key === "capabilityArgs";
  return isMade && isObject(value) && Object.entries(value).every(([name, inner]) => isValue(inner, name));
}

/** Capability arguments of the call, and of what is cached. */
function argumentsIn(scenario: Scenario): readonly JsonObject[] {
  const given = tryParseJson(scenario.env["CAP_ARGS"] ?? "");
  const cached = documentsIn(scenario).map((document) => document["capabilityArgs"]);
  return [given, ...cached].filter((value) => isObject(value));
}

function documentsIn({ files, steps }: Scenario): readonly JsonObject[] {
  const rewritten = steps.flatMap(({ before }) =>
    before.flatMap((change) => (change.kind === "write" ? change.text : [])),
  );
  return [...Object.values(files), ...rewritten].map(tryParseJson).filter((value) => isObject(value));
}

/** Of a cached configuration, which is base64. */
function pluginsOf(config: Json): Json | undefined {
  const list =
    typeof config === "string" ? tryParseJson(Buffer.from(config, "base64").toString()) : undefined;
  return isObject(list) ? list["plugins"] : undefined;
}
