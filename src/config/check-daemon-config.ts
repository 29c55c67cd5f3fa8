import type { TLocalizedValidationError } from "typebox/error";
import { Errors } from "typebox/schema";
import { Settings } from "typebox/system";
import { parseErrorPolicy } from "../attachments/parse-error-policy.ts";
import { type ConfigProblem, formatPath } from "./config-problem.ts";
import { type DaemonConfigFile, daemonConfigSchema } from "./daemon-config-schema.ts";
import { isObject } from "./parse-config-text.ts";

export type CheckedFile =
  | { readonly file: DaemonConfigFile }
  | { readonly problems: readonly ConfigProblem[] };

/** Checks known keys against the schema, the policies they hold, and what must fit together. Names every problem. */
export function checkDaemonConfig(value: Readonly<Record<string, unknown>>): CheckedFile {
  const problems = [...schemaProblems(value), ...policyProblems(value)];
  if (problems.length > 0) return { problems: inOrderOfFile(problems, value) };
  const file = value as DaemonConfigFile;
  const clashes = findClashes(file);
  return clashes.length > 0 ? { problems: clashes } : { file };
}

const maxProblems = 500;

function inOrderOfFile(
  problems: readonly ConfigProblem[],
  value: Readonly<Record<string, unknown>>,
): readonly ConfigProblem[] {
  const order = new Map(Object.keys(value).map((key, index) => [key, index]));
  const place = ({ path }: ConfigProblem) => order.get(/^\/(\w+)/.exec(path)?.[1] ?? "") ?? order.size;
  return problems.toSorted((left, right) => place(left) - place(right));
}

function schemaProblems(value: Readonly<Record<string, unknown>>): readonly ConfigProblem[] {
  const byPath = new Map<string, TLocalizedValidationError>();
  for (const error of findErrors(value)) {
    // A value that several keywords refuse is one problem; an object is no problem because a member is one.
    if (error.keyword === "additionalProperties" || byPath.has(error.instancePath)) continue;
    byPath.set(error.instancePath, error);
  }
  return Array.from(byPath.values(), (error) => ({
    path: formatPath(pointerTokens(error.instancePath)),
    message: describeError(error),
  }));
}

/** TypeBox stops at eight errors unless told otherwise, for the whole process; nothing else runs in between. */
function findErrors(value: unknown): readonly TLocalizedValidationError[] {
  const { maxErrors } = Settings.Get();
  Settings.Set({ maxErrors: maxProblems });
  try {
    return Errors(daemonConfigSchema, value)[1];
  } finally {
    Settings.Set({ maxErrors });
  }
}

function pointerTokens(pointer: string): readonly string[] {
  const tokens = pointer.split("/").slice(1);
  return tokens.map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

const typeNames: Readonly<Record<string, string>> = {
  string: "a string",
  boolean: "true or false",
  integer: "a whole number",
  number: "a number",
  object: "an object",
  array: "an array",
};

function describeError(error: TLocalizedValidationError): string {
  switch (error.keyword) {
    case "type":
      return `must be ${[error.params.type]
        .flat()
        .map((type) => typeNames[type] ?? type)
        .join(" or ")}`;
    case "enum":
      return `must be one of ${error.params.allowedValues.map((allowed) => JSON.stringify(allowed)).join(", ")}`;
    case "minimum":
      return `must be at least ${error.params.limit}`;
    case "maximum":
      return `must be at most ${error.params.limit}`;
    case "maxLength":
      return `must have at most ${error.params.limit} characters`;
    default:
      return error.message;
  }
}

function policyProblems(value: Readonly<Record<string, unknown>>): readonly ConfigProblem[] {
  const networks = isObject(value["networks"]) ? Object.entries(value["networks"]) : [];
  const places = networks.map(([name, network]) => [["networks", name], network] as const);
  return [[[], value] as const, ...places].flatMap(([path, holder]) => {
    if (!isObject(holder) || !Object.hasOwn(holder, "delErrorPolicy")) return [];
    const parsed = parseErrorPolicy(holder["delErrorPolicy"], formatPath([...path, "delErrorPolicy"]));
    return "problems" in parsed ? parsed.problems : [];
  });
}

function findClashes({ limits }: DaemonConfigFile): readonly ConfigProblem[] {
  const slots = limits?.concurrentDelegates ?? "auto";
  const reserved = limits?.reservedForDel;
  if (slots === "auto" || reserved === undefined || reserved < slots) return [];
  return [
    {
      path: "/limits/reservedForDel",
      message: "must be less than concurrentDelegates: nothing else could run",
    },
  ];
}
