import { isDeepStrictEqual } from "node:util";
import { type Json, throughFloat64, tryParseJson } from "../json-text.ts";
import type { Deviation } from "./deviation.ts";
import { isWritten } from "./written-values.ts";

const exactNumbers: Deviation = {
  number: 16,
  title: "numbers keep the text that was written, where upstream has what float64 makes of them",
  permits: (difference, { scenario }) =>
    (difference.kind === "stdin" || difference.kind === "record") &&
    difference.ours !== undefined &&
    isDeepStrictEqual(
      throughFloat64(contentOf(difference.key, difference.ours)),
      contentOf(difference.key, difference.upstream),
    ) &&
    isWritten(scenario, difference.key, difference.ours),
};

/** libcni also sorts the keys of a single plugin that it makes a list of, and caches that text. */
function contentOf(key: string, value: Json | undefined): Json {
  if (key !== "config" || typeof value !== "string") return value ?? null;
  return tryParseJson(Buffer.from(value, "base64").toString()) ?? value;
}

export const numberDeviations: readonly Deviation[] = [exactNumbers];
