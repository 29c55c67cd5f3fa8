import { isDeepStrictEqual } from "node:util";
import type { RecordedCall } from "../../support/recorded-calls.ts";
import { isObject, type Json, tryParseJson } from "../json-text.ts";
import type { LeftFile, Observation } from "../run/observation.ts";
import type { Difference } from "./difference.ts";

/** Set by shells and launchers on the way. */
const incidental = new Set(["_", "PWD", "OLDPWD", "SHLVL"]);

/** Everything in which the two sides' step is not the same; error texts are for people and not compared. */
export function compareObservations(upstream: Observation, ours: Observation): readonly Difference[] {
  return [
    ...differ("exit", upstream.exit, ours.exit),
    ...differ("stdout", upstream.stdout, ours.stdout),
    ...compareCalls(upstream.calls, ours.calls),
    ...compareFiles(upstream, ours),
  ];
}

function differ(kind: "exit", upstream: number | null, ours: number | null): readonly Difference[];
function differ(kind: "stdout", upstream: string, ours: string): readonly Difference[];
function differ(kind: "exit" | "stdout", upstream: unknown, ours: unknown): readonly Difference[] {
  return upstream === ours ? [] : [{ kind, upstream, ours } as Difference];
}

function compareCalls(
  upstream: readonly RecordedCall[],
  ours: readonly RecordedCall[],
): readonly Difference[] {
  const [theirNames, ourNames] = [names(upstream), names(ours)];
  const order: readonly Difference[] = isDeepStrictEqual(theirNames, ourNames)
    ? []
    : [{ kind: "calls", upstream: theirNames, ours: ourNames }];
  const unseen = [...upstream];
  const pairs = ours.flatMap((call) => {
    const at = unseen.findIndex((other) => nameOf(other) === nameOf(call));
    return at < 0 ? [] : unseen.splice(at, 1).map((other) => ({ other, call }));
  });
  return [...order, ...pairs.flatMap(({ other, call }) => compareCall(other, call))];
}

function names(calls: readonly RecordedCall[]): readonly string[] {
  return calls.map(nameOf);
}

function nameOf(call: RecordedCall): string {
  return `${call.command} ${call.type} ${call.containerId} ${call.ifName}`;
}

function compareCall(upstream: RecordedCall, ours: RecordedCall): readonly Difference[] {
  const call = nameOf(ours);
  const [theirVariables, ourVariables] = [
    { ...upstream.env, path: upstream.path },
    { ...ours.env, path: ours.path },
  ] as const satisfies readonly Readonly<Record<string, string>>[];
  const variables = keysOf(theirVariables, ourVariables)
    .filter((name) => !incidental.has(name))
    .map((name): Difference => {
      const [their, our] = [lookUp(theirVariables, name), lookUp(ourVariables, name)];
      return { kind: "variable", call, name, upstream: their, ours: our };
    });
  const [theirInput, ourInput] = [objectOf(upstream.stdin), objectOf(ours.stdin)];
  const cniVersion = lookUp(ourInput, "cniVersion");
  const { type, containerId, ifName } = ours;
  const facts = {
    call,
    type,
    containerId,
    ifName,
    cniVersion: typeof cniVersion === "string" ? cniVersion : "",
  };
  const keys = keysOf(theirInput, ourInput).map((key): Difference => {
    const [their, our] = [lookUp(theirInput, key), lookUp(ourInput, key)];
    return { kind: "stdin", ...facts, key, upstream: their, ours: our };
  });
  return [...variables, ...keys].filter(isDifferent);
}

function compareFiles(upstream: Observation, ours: Observation): readonly Difference[] {
  const names = new Set([...upstream.filesAfter.keys(), ...ours.filesAfter.keys()]);
  return [...names].flatMap((name) => {
    // What a deviation left is a difference of the step that left it alone.
    if (isUnchanged(upstream, name) && isUnchanged(ours, name)) return [];
    return compareFile(name, upstream.filesAfter.get(name), ours.filesAfter.get(name));
  });
}

function isUnchanged({ filesBefore, filesAfter }: Observation, name: string): boolean {
  return isDeepStrictEqual(filesBefore.get(name), filesAfter.get(name));
}

function compareFile(
  name: string,
  upstream: LeftFile | undefined,
  ours: LeftFile | undefined,
): readonly Difference[] {
  if (upstream === undefined || ours === undefined) {
    return upstream === ours ? [] : [{ kind: "file", name, upstream, ours }];
  }
  const mode: Difference = { kind: "mode", name, upstream: upstream.mode, ours: ours.mode };
  const [theirRecord, ourRecord] = [recordOf(upstream), recordOf(ours)];
  if (theirRecord === undefined || ourRecord === undefined) {
    const isSame = upstream.text === ours.text;
    return [mode, ...(isSame ? [] : [{ kind: "file", name, upstream, ours } as const])].filter(isDifferent);
  }
  const keys = keysOf(theirRecord, ourRecord).map((key): Difference => {
    const [their, our] = [lookUp(theirRecord, key), lookUp(ourRecord, key)];
    return { kind: "record", name, key, upstream: their, ours: our };
  });
  return [mode, ...keys].filter(isDifferent);
}

function recordOf({ text }: LeftFile): Readonly<Record<string, Json>> | undefined {
  const value = text === undefined ? undefined : tryParseJson(text);
  return isObject(value) && lookUp(value, "kind") === "cniCacheV1" ? value : undefined;
}

function isDifferent({ upstream, ours }: Difference): boolean {
  return !isDeepStrictEqual(upstream, ours);
}

/** Of text that is no object, which no plugin of ours ever gets: the whole of it under one key. */
function objectOf(text: string): Readonly<Record<string, Json>> {
  const value = tryParseJson(text);
  return isObject(value) ? value : { "(all of stdin)": text };
}

function keysOf(left: object, right: object): readonly string[] {
  return [...new Set([...Object.keys(left), ...Object.keys(right)])];
}

/** Never something inherited: `__proto__` is a key like any other. */
function lookUp<T>(object: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
