import type { Random } from "../random.ts";
import { member, printObject, randomJson, randomMember } from "./random-json.ts";

export const pluginTypes = ["alpha", "beta", "gamma", "delta"] as const;
export const capabilities = ["mac", "ips", "portMappings", "io.kubernetes.cri.pod-annotations"] as const;

/** The text of a network configuration list. */
export function randomList(random: Random, name: string, version: readonly string[]): string {
  const plugins = `[${pluginTexts(random).join(random.pick([",", ",\n    "]))}]`;
  const members = [
    ...version,
    member('"name"', JSON.stringify(name)),
    member('"plugins"', plugins),
    ...random.some([member('"disableCheck"', randomFlag(random))], 0.3),
    ...random.some([member('"disableGC"', randomFlag(random))], 0.3),
    ...random.some([member('"loadOnlyInlinedPlugins"', randomFlag(random))], 0.2),
    ...random.many(0, 2, () => randomMember(random)),
  ];
  return `${random.pick(["", "\n", " "])}${printObject(members, random)}${random.pick(["", "\n"])}`;
}

function pluginTexts(random: Random): readonly string[] {
  const types = pluginTypes.slice(0, 1 + random.below(pluginTypes.length));
  if (random.chance(0.03))
    return [...types.map((type) => randomPlugin(random, type)), randomPlugin(random, "alpha")];
  return types.map((type) => randomPlugin(random, random.chance(0.01) ? oddType(random) : type));
}

function oddType(random: Random): string {
  return random.pick(["", "a/b", "..", "absent", "../bin/alpha", "al pha"]);
}

/** The text of one plugin configuration; `leading` members come first. */
export function randomPlugin(random: Random, type: string, leading: readonly string[] = []): string {
  const typeKey = random.chance(0.05) ? '"Type"' : '"type"';
  const members = [
    ...leading,
    member(typeKey, JSON.stringify(type)),
    ...random.some([member('"capabilities"', randomCapabilities(random))], 0.4),
    ...random.many(0, 4, () => randomMember(random)),
    ...random.some(reservedMembers(random), 0.08),
    ...random.some(typedMembers(random), 0.12),
    ...random.some(wrongMembers, 0.004),
  ];
  return printObject(members, random);
}

function randomCapabilities(random: Random): string {
  const chosen = random.some([...capabilities, "__proto__"], 0.5);
  return `{${chosen.map((name) => `${JSON.stringify(name)}:${random.pick(["true", "true", "false", "null"])}`).join(",")}}`;
}

function reservedMembers(random: Random): readonly string[] {
  return [
    '"runtimeConfig":{"mac":"from the file","x":1.0}',
    '"prevResult":{"cniVersion":"1.0.0","ips":[]}',
    '"PrevResult":{"a":1}',
    `"cni.dev/foo":${randomJson(random)}`,
    '"cni.dev/valid-attachments":[{"containerID":"a","ifname":"b"}]',
    '"cni.dev/attachments":[1.0]',
    `"args":{"cni":{"labels":[${randomJson(random)}]}}`,
    '"CniVersion":"0.3.0"',
    '"Name":"other"',
    '"RuntimeConfig":{"mac":"odd"}',
  ];
}

function typedMembers(random: Random): readonly string[] {
  return [
    '"name":"of the plugin"',
    '"cniVersion":"0.2.0"',
    `"ipam":{"type":"host-local","subnet":"10.1.0.0/16","x":${randomJson(random)}}`,
    '"dns":{"nameservers":["10.0.0.53"],"domain":"x","other":1.0}',
    '"name":null',
    '"dns":null',
    '"ipMasq":true',
  ];
}

/** Keys that libcni knows, with values of a wrong type: the whole list cannot be used. */
const wrongMembers = [
  '"dns":7',
  '"ipam":[]',
  '"capabilities":{"mac":"true"}',
  '"name":7',
  '"prevResult":[]',
  '"ipam":{"type":1}',
];

function randomFlag(random: Random): string {
  if (random.chance(0.05)) return random.pick(['"1"', "1", "null", '"yes"']);
  return random.pick(["true", "false", '"true"', '"FALSE"', '"True"']);
}
