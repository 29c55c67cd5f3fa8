import type { Random } from "../random.ts";
import type { Change, Scenario } from "../scenario.ts";
import { member } from "./random-json.ts";
import { pluginTypes, randomList, randomPlugin } from "./random-list.ts";
import { type ListVersion, single } from "./random-version.ts";

export interface RandomFiles {
  readonly form: string;
  readonly files: Readonly<Record<string, string>>;
  /** Gives the network another version. */
  readonly rewrite: Change;
  readonly stumblingBlocks: Scenario["stumblingBlocks"];
}

/** A directory of configurations that has the network, and more or less useful things beside it. */
export function randomFiles(random: Random, network: string, version: ListVersion): RandomFiles {
  const { form, path, write } = randomForm(random, network);
  const rewritten = single(random.pick(["1.1.0", "1.0.0", "0.4.0", "0.3.1", "0.2.0"]));
  const bad = badFiles(random);
  const own = {
    [path]: write(version),
    ...dropIns(random, network),
    ...Object.fromEntries(neighbours(random)),
  };
  const rewrite: Change = { kind: "write", path, text: write(rewritten) };
  const badNames = Object.keys(bad);
  return {
    form: badNames.length === 0 ? form : `${form} beside a bad file`,
    files: { ...own, ...bad },
    rewrite,
    stumblingBlocks: [...(badNames.length === 0 ? [] : [badNames]), [path, ...badNames]],
  };
}

interface Form {
  readonly form: string;
  readonly path: string;
  /** The same content in any version. */
  readonly write: (version: ListVersion) => string;
}

function randomForm(random: Random, network: string): Form {
  const roll = random.below(100);
  if (roll >= 80) {
    const extension = random.pick(["conf", "json"]);
    const marker = "@VERSION@";
    const leading = [member('"name"', JSON.stringify(network)), marker];
    const text = randomPlugin(random, random.pick(pluginTypes), leading);
    // A single plugin has no `cniVersions`; where that was chosen it is a key like any other.
    const write = (version: ListVersion) => replaceMarker(text, marker, version.members);
    return { form: "a single plugin", path: `net.d/20-own.${extension}`, write };
  }
  const marker = "@VERSION@";
  const text = randomList(random, network, [marker]);
  const extension = random.chance(0.03) ? "conf" : "conflist";
  return {
    form: "a list",
    path: `net.d/20-own.${extension}`,
    write: (version) => replaceMarker(text, marker, version.members),
  };
}

function replaceMarker(text: string, marker: string, members: readonly string[]): string {
  if (members.length > 0) return text.replace(marker, () => members.join(","));
  return text.replace(new RegExp(`${marker}\\s*,\\s*`), "");
}

function dropIns(random: Random, network: string): Readonly<Record<string, string>> {
  if (!random.chance(0.25) || !/^[a-z0-9]/i.test(network)) return {};
  const directory = `net.d/${network}`;
  const types = ["gamma", "delta"];
  const plugins = random.many(1, 2, (index) => [
    `${directory}/${random.pick(["10", "20", "5"])}-${index}.conf`,
    randomPlugin(random, types[index] ?? "delta"),
  ]);
  const ignored = random.some(
    [
      [`${directory}/x.json`, "{"],
      [`${directory}/deeper/1.conf`, "{"],
      [`${directory}/y.conf.bak`, "{"],
    ],
    0.3,
  );
  const broken = random.some([[`${directory}/30.conf`, '{"no":"type"}']], 0.05);
  return Object.fromEntries([...plugins, ...ignored, ...broken]);
}

/** Files that do no harm. */
function neighbours(random: Random): readonly (readonly [string, string])[] {
  return random.some(
    [
      ["net.d/10-other.conflist", '{"cniVersion":"1.0.0","name":"other","plugins":[{"type":"alpha"}]}'],
      ["net.d/90-other.conf", '{"cniVersion":"1.0.0","name":"other2","type":"alpha"}'],
      ["net.d/00-x.conflist.bak", "{"],
      ["net.d/05-directory.conflist/", ""],
      ["net.d/README", "nothing"],
      ["net.d/95-later.conflist", '{"cniVersion":"0.4.0","name":"net1","plugins":[{"type":"delta"}]}'],
    ],
    0.1,
  );
}

/** Files that libcni gives up at; sorted before the network's own or after it. */
function badFiles(random: Random): Readonly<Record<string, string>> {
  if (!random.chance(0.08)) return {};
  const text = random.pick([
    "{",
    "",
    "[]",
    '{"name":"bad"}',
    '{"name":"bad","plugins":[{}]}',
    '{"plugins":[]}',
    "null",
  ]);
  const extension = random.pick(["conflist", "conflist", "conf", "json"]);
  return { [`net.d/${random.pick(["05", "50"])}-bad.${extension}`]: text };
}
