import { isAbsolute, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { printAsGo } from "../../../src/cli/cni/print-as-go.ts";
import { CniError, convertResult, parseResult, printResult } from "../../../src/cni/index.ts";
import { isObject, type Json, parseJson, printJson, throughFloat64, tryParseJson } from "../json-text.ts";
import type { Deviation, StepContext } from "./deviation.ts";
import { pluginsIn } from "./written-values.ts";

const invalidName: Deviation = {
  number: 6,
  title: "a name that must not become a path is refused when the list is read",
  permits: (difference, { scenario, ours }) => {
    if (/^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/.test(scenario.network) || ours.exit !== 1) return false;
    return difference.kind === "exit" || (difference.kind === "calls" && difference.ours.length === 0);
  },
};

const converted: Deviation = {
  number: 7,
  title: "results of ADD are converted to the list's version, for the next plugin and for the caller",
  permits: (difference, context) => {
    if (context.step.verb !== "add") return false;
    if (difference.kind === "stdout") {
      const text = convert(difference.upstream, versionOf(context));
      return (
        text !== undefined && difference.ours === printAsGo(JSON.parse(text), JSON.parse(text).cniVersion)
      );
    }
    const isResult =
      (difference.kind === "stdin" && difference.key === "prevResult") ||
      (difference.kind === "record" && difference.key === "result" && isHandedOn(difference.ours, context));
    if (!isResult) return false;
    if (difference.upstream === undefined || difference.ours === undefined) return false;
    const text = convert(printJson(difference.upstream), versionOf(context));
    return text !== undefined && isDeepStrictEqual(parseJson(text), difference.ours);
  },
};

const alwaysAList: Deviation = {
  number: 11,
  title: "GC without valid attachments sends an empty list, not no key at all",
  permits: (difference) =>
    difference.kind === "stdin" &&
    difference.call.startsWith("GC ") &&
    /^cni\.dev\/(valid-)?attachments$/.test(difference.key) &&
    isDeepStrictEqual(difference.ours, []),
};

const busyIsAFailure: Deviation = {
  number: 9,
  title: "a plugin that stays busy is a failure, not a success without a run",
  partsTheWays: true,
  permits: (difference, { ours }) =>
    ours.exit === 1 &&
    ours.stderr.includes(": text file busy") &&
    ["exit", "calls", "file"].includes(difference.kind),
};

const reservedKeys: Deviation = {
  number: 12,
  title: "keys that are reserved for the runtime do not come from the file",
  permits: (difference, { scenario }) =>
    difference.kind === "stdin" &&
    difference.ours === undefined &&
    /^(capabilities|prevresult|cni\.dev\/.*)$/i.test(difference.key) &&
    pluginsIn(scenario).some(
      (plugin) =>
        Object.hasOwn(plugin, difference.key) &&
        isDeepStrictEqual(throughFloat64(plugin[difference.key] ?? null), difference.upstream),
    ),
};

const unusableResult: Deviation = {
  number: 18,
  title: "a result that could not be read back is refused (its numbers: 19)",
  partsTheWays: true,
  permits: (difference, { step, ours }) =>
    step.verb === "add" &&
    ours.exit === 1 &&
    difference.kind !== "stdin" &&
    difference.kind !== "variable" &&
    /null element in|element without|cannot unmarshal number \d{16,} into/.test(ours.stderr),
};

const absolutePath: Deviation = {
  number: 23,
  title: "directories of plugins are absolute, since plugins run elsewhere",
  permits: (difference) => {
    if (difference.kind !== "variable" || difference.upstream === undefined) return false;
    if (difference.name === "path") return difference.ours === resolve("/", difference.upstream);
    return (
      difference.name === "CNI_PATH" &&
      difference.ours === difference.upstream.split(":").map(fromRoot).join(":")
    );
  },
};

function fromRoot(directory: string): string {
  return isAbsolute(directory) ? directory : resolve("/", directory);
}

/** The last plugin answered with what it had got: only so is a converted result cached. */
function isHandedOn(result: Json | undefined, { ours }: StepContext): boolean {
  const input = tryParseJson(ours.calls.at(-1)?.stdin ?? "");
  return isObject(input) && isDeepStrictEqual(input["prevResult"], result);
}

/** The version that the step's plugins were spoken to in. */
function versionOf({ ours }: StepContext): string {
  const input = tryParseJson(ours.calls[0]?.stdin ?? "");
  const version = isObject(input) ? input["cniVersion"] : undefined;
  return typeof version === "string" ? version : "";
}

/** `undefined` where it cannot be converted: then nothing may differ. */
function convert(text: string, version: string): string | undefined {
  try {
    return printResult(convertResult(parseResult(text), version));
  } catch (error) {
    if (error instanceof CniError) return undefined;
    throw error;
  }
}

export const requestDeviations: readonly Deviation[] = [
  invalidName,
  converted,
  busyIsAFailure,
  alwaysAList,
  reservedKeys,
  unusableResult,
  absolutePath,
];
