import { isDeepStrictEqual } from "node:util";
import type { Difference } from "../compare/difference.ts";
import { isObject, type Json } from "../json-text.ts";
import { cachedBefore, ownAttachment } from "./cached-before.ts";
import type { Deviation, StepContext } from "./deviation.ts";

const newFile: Deviation = {
  number: 1,
  title: "a cached result is a new file, not the old one written over",
  permits: (difference, { step, ours }) =>
    difference.kind === "mode" &&
    step.verb === "add" &&
    difference.ours === 0o600 &&
    ours.filesBefore.get(difference.name)?.mode === difference.upstream,
};

const hiddenIsTemporary: Deviation = {
  number: 1,
  title: "a hidden file is a temporary one, and no attachment that GC would find",
  permits: (difference, { scenario, step }) => {
    if (step.verb !== "gc" || !scenario.network.startsWith(".")) return false;
    if (difference.kind === "calls") return onlyMissing(difference.upstream, difference.ours, () => true);
    return difference.kind === "exit" || (difference.kind === "file" && difference.name.startsWith("."));
  },
};

const corruptIsNotEmpty: Deviation = {
  number: 2,
  title:
    "what is no record is corrupt: no prevResult for DEL, an error for CHECK; upstream takes it for an empty result",
  permits: (difference, context) => {
    const names = difference.kind === "stdin" ? difference : ownAttachment(context);
    const before = cachedBefore(context, names);
    if (before !== "corrupt" && before !== "without result") return false;
    if (difference.kind === "stdin") {
      return (
        difference.key === "prevResult" && difference.ours === undefined && isEmptyResult(difference.upstream)
      );
    }
    if (before === "corrupt") return isRefusal(difference, context, "check");
    return isUnconverted(difference, context);
  },
};

const removedAfterwards: Deviation = {
  number: 3,
  title: "a corrupt cached result stays until DEL has succeeded",
  permits: (difference, { scenario, step, ours, upstream }) => {
    if (difference.kind === "calls" && step.verb === "gc") {
      // What libcni forgot at an earlier step that failed.
      const isOwed = (name: string) => ours.filesBefore.has(name) && !upstream.filesBefore.has(name);
      return onlyMissing(difference.ours, difference.upstream, (containerId, ifName) =>
        isOwed(`${scenario.network}-${containerId}-${ifName}`),
      );
    }
    return (
      difference.kind === "file" &&
      (step.verb === "del" || step.verb === "gc") &&
      ours.exit !== 0 &&
      difference.upstream === undefined &&
      isDeepStrictEqual(difference.ours, ours.filesBefore.get(difference.name))
    );
  },
};

const recordOfAnother: Deviation = {
  number: 14,
  title: "another attachment's cached result is neither used nor removed",
  permits: (difference, context) => {
    const names = difference.kind === "stdin" ? difference : ownAttachment(context);
    if (cachedBefore(context, names) !== "of another attachment") return false;
    if (difference.kind === "stdin") return difference.key === "prevResult" && difference.ours === undefined;
    if (isUnconverted(difference, context)) return true;
    return (
      difference.kind === "file" &&
      difference.upstream === undefined &&
      isDeepStrictEqual(difference.ours, context.ours.filesBefore.get(difference.name))
    );
  },
};

const unlistableCache: Deviation = {
  number: 11,
  title: "GC tells of a cache that cannot be listed and goes on; upstream does nothing and says nothing",
  permits: (difference, { step, ours }) => {
    const results = ours.filesBefore.get("");
    if (step.verb !== "gc" || results === undefined || results.text === undefined) return false;
    if (difference.kind === "exit") return difference.upstream === 0 && difference.ours === 1;
    return (
      difference.kind === "calls" &&
      difference.upstream.length === 0 &&
      difference.ours.every((call) => call.startsWith("GC "))
    );
  },
};

const noFileName: Deviation = {
  number: 5,
  title: "names that make no file name of a cache are refused before anything runs",
  permits: (difference, context) => {
    const { ifName } = ownAttachment(context);
    if (ifName !== "" && !`${context.scenario.network}${ifName}`.includes("/")) return false;
    return isRefusal(difference, context, "del") || isRefusal(difference, context, "check");
  },
};

const nameTooLong: Deviation = {
  number: 17,
  title: "a name that makes too long a file name is refused before anything runs, not afterwards",
  partsTheWays: true,
  permits: (difference, context) =>
    Buffer.byteLength(context.scenario.network) > 200 &&
    (isRefusal(difference, context, "add") || (difference.kind === "file" && difference.name === "")),
};

/** `fewer` lacks nothing of `more` but DELs of attachments that `mayLack` names. */
function onlyMissing(
  more: readonly string[],
  fewer: readonly string[],
  mayLack: (containerId: string, ifName: string) => boolean,
): boolean {
  const kept = more.filter((call) => {
    const [command, , containerId = "", ifName = ""] = call.split(" ");
    return !(command === "DEL" && !fewer.includes(call) && mayLack(containerId, ifName));
  });
  return isDeepStrictEqual(kept, fewer);
}

/** Our side did not begin at all. */
function isRefusal(difference: Difference, { step, ours }: StepContext, verb: string): boolean {
  if (step.verb !== verb || ours.exit !== 1) return false;
  return difference.kind === "exit" || (difference.kind === "calls" && difference.ours.length === 0);
}

/** CHECK failed with libcni, since it cannot convert what we do not take for a result at all. */
function isUnconverted(difference: Difference, { step, upstream }: StepContext): boolean {
  if (step.verb !== "check" || !upstream.stderr.includes(" cached result: failed to convert ")) return false;
  return difference.kind === "exit" || (difference.kind === "calls" && difference.upstream.length === 0);
}

function isEmptyResult(value: Json | undefined): boolean {
  if (!isObject(value) || typeof value["cniVersion"] !== "string") return false;
  const { dns } = value;
  const isDnsEmpty = dns === undefined || (isObject(dns) && Object.keys(dns).length === 0);
  return isDnsEmpty && Object.keys(value).every((key) => key === "cniVersion" || key === "dns");
}

export const cacheDeviations: readonly Deviation[] = [
  newFile,
  hiddenIsTemporary,
  corruptIsNotEmpty,
  removedAfterwards,
  noFileName,
  recordOfAnother,
  unlistableCache,
  nameTooLong,
];
