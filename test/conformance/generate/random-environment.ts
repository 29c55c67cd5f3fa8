import type { Random } from "../random.ts";
import { world } from "../scenario.ts";
import { randomJson } from "./random-json.ts";
import { capabilities } from "./random-list.ts";

const argTexts = [
  "IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=web-0",
  "B=2;A=1;B=3",
  "A=<&> é",
  "IP=10.1.2.3",
];
const brokenArgs = ["A", "A=", "=1", "A=1;", "A=b=c"];

const interfaceNames = ["net1", "eth0.7", "a%d", "...", "fifteenLetters1"];
const brokenInterfaceNames = ["", ".", "..", "a/b", "a:b", "a b", "aLongInterfaceName", "a\u00a0b"];

const paths = [
  `${world}/other:${world}/bin`,
  `${world}/bin:${world}/other`,
  `/nowhere:${world}/bin`,
  `${world}/bin/`,
  "var/lib/cni/bin",
  `:${world}/bin`,
  `${world}/bin::`,
];

/** Variables of a call beyond the usual ones. */
export function randomEnvironment(random: Random): Readonly<Record<string, string>> {
  return {
    ...chosen(random, "CAP_ARGS", 0.4, () => capabilityArgs(random)),
    ...chosen(random, "CNI_ARGS", 0.35, () => random.pick(random.chance(0.05) ? brokenArgs : argTexts)),
    ...chosen(random, "CNI_IFNAME", 0.2, () =>
      random.pick(random.chance(0.15) ? brokenInterfaceNames : interfaceNames),
    ),
    ...chosen(random, "CNI_PATH", 0.15, () => random.pick(random.chance(0.1) ? ["", "/nowhere"] : paths)),
    ...chosen(random, "CNI_NETNS_OVERRIDE", 0.05, () => "1"),
    ...chosen(random, "CNI_COMMAND", 0.03, () => "DEL"),
    ...chosen(random, "TRACEPARENT", 0.03, () => "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
  };
}

function chosen(
  random: Random,
  name: string,
  probability: number,
  make: () => string,
): Readonly<Record<string, string>> {
  return random.chance(probability) ? { [name]: make() } : {};
}

function capabilityArgs(random: Random): string {
  if (random.chance(0.03)) return random.pick(["[]", "{", "7", "null", "{} x"]);
  const members = random
    .some([...capabilities, "unknown", "__proto__"], 0.6)
    .map((name) => `${JSON.stringify(name)}: ${randomJson(random)}`);
  return `{${members.join(",")}}`;
}
