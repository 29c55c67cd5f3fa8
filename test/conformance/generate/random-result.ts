import type { Random } from "../random.ts";

export const knownVersions = ["0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"] as const;

const cidrs = [
  "10.1.0.5/16",
  "192.0.2.7/32",
  "2001:DB8::0001/64",
  "::1/128",
  "0.0.0.0/0",
  "::ffff:10.0.0.1/128",
];
const gateways = ["10.1.0.1", "2001:db8::FE", "", "::ffff:10.0.0.254"];
const destinations = ["0.0.0.0/0", "10.9.8.7/8", "::/0", "fd00::1/8"];

/** What a plugin might print for ADD in that version, in one line; mostly a whole result, sometimes an odd one. */
export function randomResult(random: Random, version: string): string {
  const members = [...versionMember(random, version), ...bodyOf(random, version)];
  if (random.chance(0.2)) members.push('"unknown":{"a":[1.50]}');
  if (random.chance(0.5)) members.push(`"dns":${randomDns(random)}`);
  return `{${members.join(",")}}`;
}

function versionMember(random: Random, version: string): string[] {
  const roll = random.below(30);
  if (roll === 0) return [];
  if (roll === 1) return [`"cniVersion":${random.pick(['""', "7", "null", '"9.9.9"', '"1.0"'])}`];
  if (roll === 2) return [`"CNIVersion":"${version}"`];
  return [`"cniVersion":"${version}"`];
}

function bodyOf(random: Random, version: string): string[] {
  if (version === "0.1.0" || version === "0.2.0") {
    return random.some(["ip4", "ip6"], 0.7).map((slot) => `"${slot}":${legacyIp(random, slot)}`);
  }
  const key = random.chance(0.1) ? "IPs" : "ips";
  return [
    ...random.some([`"interfaces":${list(random, () => randomInterface(random))}`], 0.7),
    ...random.some([`"${key}":${list(random, () => randomIp(random, version))}`], 0.8),
    ...random.some([`"routes":${list(random, () => randomRoute(random))}`], 0.6),
  ];
}

function list(random: Random, make: () => string): string {
  return random.chance(0.05) ? "null" : `[${random.many(0, 3, make).join(",")}]`;
}

function randomInterface(random: Random): string {
  const extras = random.some(
    [
      '"mac":"0A:58:0a:00:00:01"',
      '"sandbox":"/run/netns/x"',
      '"mtu":1400',
      '"mtu":0',
      '"socketPath":"/s"',
      '"pciID":"0000:04:00.5"',
      '"sandbox":""',
      '"other":1e3',
    ],
    0.3,
  );
  return `{${['"name":"eth<0>"', ...extras].join(",")}}`;
}

function randomIp(random: Random, version: string): string {
  const family = random.pick(['"version":"4"', '"version":"6"', '"version":"x"']);
  const old = version.startsWith("0.") ? random.some([family], 0.9) : random.some([family], 0.1);
  const rest = [
    ...random.some([`"interface":${random.pick(["0", "1", "-1"])}`], 0.5),
    ...random.some([`"gateway":"${random.pick(gateways)}"`], 0.5),
  ];
  return `{${[...old, `"address":"${random.pick(cidrs)}"`, ...rest].join(",")}}`;
}

function randomRoute(random: Random): string {
  const rest = random.some(
    [
      '"gw":"10.1.0.1"',
      '"mtu":1400',
      '"advmss":1360',
      '"priority":0',
      '"priority":10',
      '"table":0',
      '"scope":253',
    ],
    0.25,
  );
  return `{${[`"dst":"${random.pick(destinations)}"`, ...rest].join(",")}}`;
}

function legacyIp(random: Random, slot: string): string {
  const ip = slot === "ip4" ? random.pick(["10.1.0.5/16", "192.0.2.7/32"]) : "2001:DB8::1/64";
  const rest = [
    ...random.some([`"gateway":"${random.pick(gateways)}"`], 0.5),
    ...random.some([`"routes":${list(random, () => randomRoute(random))}`], 0.5),
  ];
  return `{${[`"ip":"${ip}"`, ...rest].join(",")}}`;
}

function randomDns(random: Random): string {
  const members = random.some(
    [
      '"nameservers":["10.0.0.53"]',
      '"domain":"cluster.local"',
      '"search":[]',
      '"options":["ndots:5"]',
      '"x":1',
    ],
    0.4,
  );
  return `{${members.join(",")}}`;
}
