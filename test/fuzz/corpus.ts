import { readFileSync } from "node:fs";

interface Golden {
  readonly resultConversions: readonly { readonly input: unknown }[];
  readonly confListParsing: readonly { readonly input: string }[];
}

const golden = JSON.parse(
  readFileSync(new URL("../fixtures/cni-golden.json", import.meta.url), "utf8"),
) as Golden;

const distinct = (texts: readonly string[]): readonly string[] => [...new Set(texts)];

export const configurations = distinct([
  ...golden.confListParsing.map(({ input }) => input),
  `{"cniVersion":"1.0.0","cniVersions":["0.4.0","1.1.0","9.0.0"],"name":"pods","disableCheck":"false","disableGC":true,
"plugins":[{"type":"bridge","bridge":"br0","isGateway":true,"mtu":1450,"ipam":{"type":"host-local","ranges":
[[{"subnet":"10.1.0.0/16"}],[{"subnet":"fd00::/64"}]],"routes":[{"dst":"0.0.0.0/0"}]},"capabilities":{"ips":true,"mac":false},
"dns":{"nameservers":["10.1.0.1"],"domain":"d","search":["s"],"options":["o"]},"n":12345678901234567890,"e":1e400},
{"type":"portmap","capabilities":{"portMappings":true},"snat":true,"args":{"cni":{"labels":[]}}},{"Type":"tuning",
"cni.dev/valid-attachments":[{"containerID":"c","ifname":"eth0"}],"prevResult":{},"runtimeConfig":{"mac":"aa"}}]}`,
  '{"cniVersion":"0.3.1","name":"single","type":"macvlan","master":"eth0","ipam":{"type":"static"}}',
  '{"name":"n","loadOnlyInlinedPlugins":true,"plugins":[{"type":"a","capabilities":{"__proto__":true}}]}',
]);

export const results = distinct([
  ...golden.resultConversions.map(({ input }) => JSON.stringify(input)),
  '{"cniVersion":7,"ips":[{"address":"::ffff:10.0.0.1/128","interface":0}]}',
  '{"ips":[{"version":"6","address":"fe80::1/64","gateway":""}],"routes":[{"dst":"::/0","gw":"fe80::2","table":0}]}',
]);

const record = {
  kind: "cniCacheV1",
  containerId: "cid",
  config: Buffer.from('{"name":"net"}').toString("base64"),
  ifName: "eth0",
  networkName: "net",
  netns: "/run/netns/x",
  cniArgs: [
    ["A", "1"],
    ["B", "x;y=z"],
  ],
  capabilityArgs: { mac: "aa", portMappings: [{ hostPort: 80 }] },
};

export const cacheRecords = distinct([
  ...results.slice(0, 40),
  ...results.slice(0, 40).map((text) => JSON.stringify({ ...record, result: JSON.parse(text) })),
  JSON.stringify(record),
  '{"kind":"other"}',
  "{}",
]);

export const versionAnswers = [
  '{"cniVersion":"1.0.0","supportedVersions":["0.1.0","0.2.0","0.3.0","0.3.1","0.4.0","1.0.0"]}',
  '{"cniVersion":"0.2.0"}',
  '{"CNIVersion":"1.1.0","SupportedVersions":["1.1.0",null],"more":{"a":[1,2]}}',
  '{"cniVersion":"1.0.0","code":7,"msg":"no address","details":"pool x"}',
  '{"code":18446744073709551615,"msg":"","details":null}',
];
