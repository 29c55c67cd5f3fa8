import { nearestName } from "../foundation/nearest-name.ts";
import { type ConfigProblem, formatPath } from "./config-problem.ts";
import { daemonConfigSchema } from "./daemon-config-schema.ts";
import { isObject } from "./parse-config-text.ts";

export interface KnownKeys {
  /** The file's object with the schema's spelling, without null members and without unknown top-level keys. */
  readonly value: Readonly<Record<string, unknown>>;
  /** Unknown keys with the nearest known name, odd spellings, and keys that have no effect. */
  readonly warnings: readonly ConfigProblem[];
}

/**
 * Upstream reads its keys as Go does: case does not matter, `null` is as good as absent, the last of several
 * spellings counts. The same holds here for every top-level key.
 */
export function selectKnownKeys(file: Readonly<Record<string, unknown>>): KnownKeys {
  const value: Record<string, unknown> = {};
  const warnings: ConfigProblem[] = [];
  for (const [key, member] of Object.entries(file)) {
    const name = nameByFold.get(key.toLowerCase());
    if (name === undefined) {
      warnings.push({ path: formatPath([key]), message: describeUnknown(key, names) });
      continue;
    }
    if (name !== key) warnings.push({ path: formatPath([key]), message: `read as "${name}"` });
    if (member === null) continue;
    value[name] = member;
    warnings.push(...warnOfMember(name, member));
  }
  return { value, warnings: warnings.slice(0, maxWarnings) };
}

const names = Object.keys(daemonConfigSchema.properties);
const nameByFold = new Map(names.map((name) => [name.toLowerCase(), name]));
const maxWarnings = 200;

/** Keys of documents and examples that upstream itself does not read, and what was meant. */
const meantBy: ReadonlyMap<string, string> = new Map([
  ["allowtrydeleteonerr", "retryDeleteOnError"],
  ["cniconf", "confDir"],
  ["defaultnetworkwaitseconds", "timeouts"],
]);

function warnOfMember(name: string, member: unknown): readonly ConfigProblem[] {
  const schemas: Schema = daemonConfigSchema.properties;
  return warnAt(schemas[name], member, [name]);
}

/** A JSON schema, of which only `properties`, `additionalProperties` and our own `inactive` are looked at. */
type Schema = Readonly<Record<string, unknown>>;

function warnAt(schema: unknown, value: unknown, path: readonly string[]): readonly ConfigProblem[] {
  if (!isObject(schema)) return [];
  const inactive = schema["inactive"];
  const effect =
    typeof inactive === "string"
      ? [{ path: formatPath(path), message: `accepted, but without effect: ${inactive}` }]
      : [];
  return [...effect, ...warnBelow(schema, value, path)];
}

function warnBelow(schema: Schema, value: unknown, path: readonly string[]): readonly ConfigProblem[] {
  if (!isObject(value)) return [];
  const { properties, additionalProperties } = schema;
  return Object.entries(value).flatMap(([key, member]) => {
    const below = [...path, key];
    if (!isObject(properties)) return warnAt(additionalProperties, member, below);
    if (Object.hasOwn(properties, key)) return warnAt(properties[key], member, below);
    return [{ path: formatPath(below), message: describeUnknown(key, Object.keys(properties)) }];
  });
}

function describeUnknown(key: string, known: readonly string[]): string {
  const nearest = meantBy.get(key.toLowerCase()) ?? nearestName(key, known);
  return nearest === undefined ? "unknown key" : `unknown key; did you mean "${nearest}"?`;
}
