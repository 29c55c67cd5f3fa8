import { Random } from "../random.ts";
import type { PluginFile, Scenario } from "../scenario.ts";
import { randomAddBehaviours } from "./random-behaviour.ts";
import { randomCache } from "./random-cache.ts";
import { randomEnvironment } from "./random-environment.ts";
import { randomFiles } from "./random-files.ts";
import { pluginTypes } from "./random-list.ts";
import { randomSteps } from "./random-steps.ts";
import { randomVersion } from "./random-version.ts";

/** Scenario `index` of a seed; the same one whatever others there are. */
export function generateScenario(seed: number, index: number): Scenario {
  const random = Random.of(seed, index);
  const version = randomVersion(random);
  const network = randomName(random);
  const { files, form, rewrite, stumblingBlocks } = randomFiles(random, network, version);
  const { title, steps } = randomSteps(random, { types: pluginTypes, rewrite });
  const cache = cacheFiles(random, network, version.likely, title.includes("GC"));
  const [first, ...later] = steps;
  // The recording plugin hands on what it takes for a prevResult, and gets none of the file's from us.
  const areAllTold = Object.values(files).some((text) => text.includes('"prevResult"'));
  const behaviours = randomAddBehaviours(random, pluginTypes, version.likely, areAllTold ? 1 : 0.6);
  return {
    index,
    title: `${form}, ${title}`,
    files: { ...files, ...cache },
    plugins: plugins(random),
    env: randomEnvironment(random),
    network,
    netns: random.pick([
      "/run/netns/x",
      "/run/netns/x",
      "/proc/1/../1/ns/net/",
      "netns/relative",
      "/run/netns/é",
    ]),
    steps: first === undefined ? [] : [{ ...first, before: [...behaviours, ...first.before] }, ...later],
    stumblingBlocks,
  };
}

/** Sometimes there can be no cache, since a file has its name. */
function cacheFiles(
  random: Random,
  network: string,
  likely: string,
  isAboutCache: boolean,
): Readonly<Record<string, string>> {
  if (random.chance(0.03)) return { results: "a file" };
  return random.chance(isAboutCache ? 0.9 : 0.1) ? randomCache(random, network, likely) : {};
}

function randomName(random: Random): string {
  const usual = ["net1", "a-b", "n.1", "N_2", "0"];
  const odd = ["a/b", "../evil", "sp ace", ".hidden", "n\u00e9", "n".repeat(230)];
  return random.pick(random.chance(0.06) ? odd : usual);
}

function plugins(random: Random): Readonly<Record<string, PluginFile>> {
  const usual = Object.fromEntries(pluginTypes.map((type) => [`bin/${type}`, "recording" as const]));
  if (random.chance(0.85)) return usual;
  const shadow = random.pick(["not-executable", "directory", "dangling", "recording"] as const);
  return { ...usual, [`other/${random.pick(pluginTypes)}`]: shadow };
}
