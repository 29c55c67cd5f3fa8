import type { Random } from "../random.ts";
import { randomJson } from "./random-json.ts";
import { randomResult } from "./random-result.ts";

/** Cached results of other attachments, and whatever else may lie beside them: what GC finds. */
export function randomCache(
  random: Random,
  network: string,
  likely: string,
): Readonly<Record<string, string>> {
  const records = random.many(0, 3, (index) => recordFile(random, network, `id${index}`, likely));
  const others = random.some([recordFile(random, "elsewhere", "id9", likely)], 0.5);
  return Object.fromEntries([...records, ...others, ...random.some(oddities(network), 0.15)]);
}

function recordFile(random: Random, network: string, containerId: string, likely: string): [string, string] {
  const ifName = random.pick(["eth0", "net1"]);
  // GC goes by what a record says, not by its file's name.
  const name = random.chance(0.1) ? `odd-${containerId}` : `${network}-${containerId}-${ifName}`;
  const members = [
    `"kind":"cniCacheV1","containerId":"${containerId}","config":"e30=","ifName":"${ifName}","networkName":"${network}"`,
    ...random.some(['"netns":"/run/netns/stale"'], 0.7),
    ...random.some(['"cniArgs":[["K","V"],["A","1"]]'], 0.5),
    ...random.some([`"capabilityArgs":{"mac":"aa","ips":${randomJson(random)}}`], 0.5),
    ...random.some([`"result":${randomResult(random, likely)}`], 0.8),
  ];
  return [`results/${name}`, `{${members.join(",")}}`];
}

function oddities(network: string): readonly (readonly [string, string])[] {
  return [
    ["results/.hidden", "{}"],
    [`results/${network}-torn-eth0`, '{"kind":"cniCacheV1","containerId":"to'],
    [`results/${network}-empty-eth0`, ""],
    [`results/${network}-dir-eth0/`, ""],
    [`results/${network}-bare-eth0`, '{"cniVersion":"1.0.0","ips":[]}'],
    [
      `results/${network}-noif`,
      `{"kind":"cniCacheV1","containerId":"noif","config":"","networkName":"${network}"}`,
    ],
    ["results/notes.txt", "hands off"],
  ];
}
