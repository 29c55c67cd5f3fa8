import { containerIdOf, ifNameOf } from "../attachment-name.ts";
import { isObject, type Json, tryParseJson } from "../json-text.ts";
import type { LeftFile } from "../run/observation.ts";
import type { StepContext } from "./deviation.ts";

/** What our side found before the step where an attachment's result is cached. */
export type CachedBefore = "none" | "corrupt" | "without result" | "of another attachment" | "other";

interface Names {
  readonly containerId: string;
  readonly ifName: string;
}

/** The scenario's own attachment. */
export function ownAttachment({ scenario }: StepContext): Names {
  return { containerId: containerIdOf(scenario.netns), ifName: ifNameOf(scenario) };
}

/** Classified here anew, from the README of the library: that is not asked about itself. */
export function cachedBefore({ scenario, ours }: StepContext, names: Names): CachedBefore {
  const { containerId, ifName } = names;
  const file = ours.filesBefore.get(`${scenario.network}-${containerId}-${ifName}`);
  if (file === undefined) return "none";
  const record = usableText(file);
  if (!isObject(record)) return "corrupt";
  const kind = fold(record, "kind");
  if (kind === undefined) return typeof fold(record, "cniVersion") === "string" ? "other" : "corrupt";
  if (kind !== "cniCacheV1" || isMistyped(record)) return "corrupt";
  const isOurs = fold(record, "containerId") === containerId && fold(record, "ifName") === ifName;
  if (!isOurs || fold(record, "networkName") !== scenario.network) return "of another attachment";
  const result = fold(record, "result");
  return result === undefined || result === null ? "without result" : "other";
}

function usableText({ text, mode }: LeftFile): Json | undefined {
  return text === undefined || (mode & 0o400) === 0 ? undefined : tryParseJson(text);
}

function isMistyped(record: Readonly<Record<string, Json>>): boolean {
  const config = fold(record, "config");
  const result = fold(record, "result");
  return (
    typeof fold(record, "containerId") !== "string" ||
    (typeof config === "string" && !/^[A-Za-z0-9+/]*=*$/.test(config)) ||
    !["undefined", "object"].includes(typeof result) ||
    isObject(fold(record, "cniArgs"))
  );
}

function fold(record: Readonly<Record<string, Json>>, key: string): Json | undefined {
  return Object.entries(record).findLast(([other]) => other.toLowerCase() === key.toLowerCase())?.[1];
}
