import { CniError } from "../../src/cni/index.ts";
import { mutate } from "./mutate.ts";
import { Random } from "./random.ts";
import { maxErrorLength, type Reader } from "./readers.ts";

export interface Finding {
  readonly problem: string;
  readonly input: string;
}

export interface FuzzReport {
  readonly inputs: number;
  readonly accepted: number;
  /** Different ways in which inputs were refused. */
  readonly refusals: number;
  readonly slowestMs: number;
  readonly findings: readonly Finding[];
}

/** Texts beside the corpus that were refused in a way of their own, and so are worth more changes. */
const maxInteresting = 2000;
const maxFindings = 5;

/** CPU time that reading may take; linear, with room for a garbage collection and a cold start. */
function allowedMs(text: string): number {
  return 500 + text.length / 500;
}

/** What one text does to a reader: nothing to say, a finding, or the message with which it was refused. */
export function readOnce(
  reader: Reader,
  text: string,
): { readonly problem?: string; readonly refusal?: string; readonly tookMs: number } {
  const before = process.threadCpuUsage();
  let refusal: string | undefined;
  let problem: string | undefined;
  try {
    reader.read(text);
  } catch (error) {
    if (error instanceof CniError) refusal = error.message;
    else problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
  const used = process.threadCpuUsage(before);
  const tookMs = (used.user + used.system) / 1000;
  if (tookMs > allowedMs(text)) problem ??= `took ${tookMs.toFixed(0)} ms for ${text.length} characters`;
  if ((refusal?.length ?? 0) > maxErrorLength) problem ??= `an error of ${refusal?.length} characters`;
  return {
    tookMs,
    ...(problem === undefined ? {} : { problem }),
    ...(refusal === undefined ? {} : { refusal }),
  };
}

/**
 * Gives a reader changed texts until `isOver`, which is asked before each with the number of those so far. The same
 * seed gives the same texts. Texts that are refused in a new way become material for further ones.
 */
export function fuzzReader(
  reader: Reader,
  seed: number,
  isOver: (inputs: number, text: string) => boolean,
): FuzzReport {
  const random = new Random(seed);
  const interesting: string[] = [];
  const refusals = new Set<string>();
  const findings: Finding[] = [];
  let [inputs, accepted, slowestMs] = [0, 0, 0];
  for (;;) {
    const base = interesting.length > 0 && random.oneIn(4) ? interesting : reader.corpus;
    const text = reader.corpus[inputs] ?? mutate(random, random.pick(base), reader.corpus);
    if (isOver(inputs, text) || findings.length >= maxFindings) break;
    inputs += 1;
    const { problem, refusal, tookMs } = readOnce(reader, text);
    slowestMs = Math.max(slowestMs, tookMs);
    if (problem !== undefined) findings.push({ problem, input: text });
    else if (refusal === undefined) accepted += 1;
    else if (isNew(refusals, refusal) && interesting.length < maxInteresting && text.length < 10_000) {
      interesting.push(text);
    }
  }
  return { inputs, accepted, refusals: refusals.size, slowestMs, findings };
}

/** By the words of an error, without what it quotes. */
function isNew(seen: Set<string>, message: string): boolean {
  const words = message.slice(0, 300).replaceAll(/"[^"]*"|'[^']*'|\d+/g, "_");
  if (seen.has(words)) return false;
  seen.add(words);
  return true;
}
