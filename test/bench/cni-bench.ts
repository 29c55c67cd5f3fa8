import { stdout } from "node:process";
import { makeChain } from "./cni-chain.ts";
import { measureRates } from "./cni-rates.ts";
import { findCnitool } from "./cnitool.ts";
import { median, table } from "./statistics.ts";

/** Prints what src/cni costs by itself, and beside upstream's `cnitool`. */
export async function benchCni(count: number): Promise<void> {
  const rates = measureRates().map(({ name, perSecond }) => [name, perSecond.toFixed(0)]);
  stdout.write(`\n${table(["src/cni", "a second"], rates)}\n`);
  const chain = await makeChain();
  try {
    const ours = await chain.measureOurs(count);
    const cnitool = await findCnitool();
    if ("missing" in cnitool) stdout.write(`\nSKIPPED: the chain by cnitool (${cnitool.missing})\n`);
    const theirs = "path" in cnitool ? await chain.measureCnitool(cnitool.path, count) : undefined;
    const rows = (["add", "delete"] as const).map((verb) => {
      const [own, other] = [median(ours[verb]), theirs && median(theirs[verb])];
      const compared = other === undefined ? ["", ""] : [other.toFixed(2), (own / other).toFixed(2)];
      return [verb === "add" ? "ADD" : "DEL", own.toFixed(2), ...compared];
    });
    const head = ["three null plugins, median of", "src/cni ms", "cnitool ms", "ours to theirs"];
    stdout.write(`\n${table([`${head[0]} ${count}`, ...head.slice(1)], rows)}\n`);
  } finally {
    await chain.remove();
  }
}
