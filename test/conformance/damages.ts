/** Names of what is cached, and its text, if there is any. */
export interface CacheFacts {
  readonly network: string;
  readonly containerId: string;
  readonly ifName: string;
  readonly text: string | undefined;
}

/** What stands in the place of a cache file afterwards. */
export type Damaged =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "absent" | "directory" | "unreadable" };

type Damage = (facts: CacheFacts) => Damaged;
type Fields = Readonly<Record<string, unknown>>;

const sampleResult = { cniVersion: "1.0.0", ips: [{ address: "10.1.0.5/16" }] };

function text(value: string): Damage {
  return () => ({ kind: "text", text: value });
}

/** The record with some fields changed, or a sample where there is none. */
function changed(change: (record: Fields) => unknown): Damage {
  return (facts) => ({ kind: "text", text: JSON.stringify(change(recordOf(facts))) });
}

function recordOf({ text: current, network, containerId, ifName }: CacheFacts): Fields {
  const sample = {
    kind: "cniCacheV1",
    containerId,
    config: Buffer.from("{}").toString("base64"),
    ifName,
    networkName: network,
    result: sampleResult,
  };
  return current === undefined ? sample : { ...sample, ...(JSON.parse(current) as Fields) };
}

function partOf(share: number): Damage {
  return (facts) => {
    const whole = JSON.stringify(recordOf(facts));
    return { kind: "text", text: whole.slice(0, Math.max(1, Math.floor(whole.length * share) - 1)) };
  };
}

function resultOf(record: Fields): Fields {
  return (record["result"] as Fields | undefined) ?? sampleResult;
}

const without = (record: Fields, key: string): Fields =>
  Object.fromEntries(Object.entries(record).filter(([other]) => other !== key));

/** Each way in which a cached result may be found after a crash, an upgrade, a mistake or another program. */
export const damages: Readonly<Record<string, Damage>> = {
  absent: () => ({ kind: "absent" }),
  directory: () => ({ kind: "directory" }),
  unreadable: () => ({ kind: "unreadable" }),
  empty: text(""),
  "one brace": text("{"),
  "half of it": partOf(0.5),
  "all but the last byte": partOf(1),
  garbage: text("\u0000\u0001\u0002 garbage"),
  "zero bytes": text("\0".repeat(512)),
  "an array": text("[]"),
  "a word": text('"cniCacheV1"'),
  "text after it": (facts) => ({ kind: "text", text: `${JSON.stringify(recordOf(facts))}x` }),
  "a byte order mark": (facts) => ({ kind: "text", text: `\ufeff${JSON.stringify(recordOf(facts))}` }),
  "an empty object": text("{}"),
  "the word null": text("null"),
  "another kind": changed((record) => ({ ...record, kind: "cniCacheV2" })),
  "a kind that is no text": changed((record) => ({ ...record, kind: 7 })),
  "no kind": changed((record) => without(record, "kind")),
  "no result": changed((record) => without(record, "result")),
  "the result null": changed((record) => ({ ...record, result: null })),
  "an empty result": changed((record) => ({ ...record, result: {} })),
  "a mistyped container ID": changed((record) => ({ ...record, containerId: 7 })),
  "a config that is no base64": changed((record) => ({ ...record, config: "%%%" })),
  "mistyped arguments": changed((record) => ({ ...record, cniArgs: { A: "1" } })),
  "a mistyped result": changed((record) => ({ ...record, result: "x" })),
  "a mistyped address": changed((record) => ({
    ...record,
    result: { cniVersion: "1.0.0", ips: [{ address: 7 }] },
  })),
  "a result of an unknown version": changed((record) => ({ ...record, result: { cniVersion: "9.0.0" } })),
  "a result of 0.2.0": changed((record) => ({
    ...record,
    result: { cniVersion: "0.2.0", ip4: { ip: "10.1.0.5/16" } },
  })),
  "a result without a version": changed((record) => ({
    ...record,
    result: without(resultOf(record), "cniVersion"),
  })),
  "a bare result": changed(resultOf),
  "a bare result of 0.3.1": text(
    '{"cniVersion":"0.3.1","ips":[{"version":"4","address":"10.1.0.5/16"}],"dns":{}}',
  ),
  "a bare result of an unknown version": text('{"cniVersion":"9.0.0"}'),
  "a bare result that is mistyped": text('{"cniVersion":"1.0.0","ips":{}}'),
  "another container's record": changed((record) => ({ ...record, containerId: "other" })),
  "another network's record": changed((record) => ({ ...record, networkName: "other" })),
  "another interface's record": changed((record) => ({ ...record, ifName: "other0" })),
  "unknown keys": changed((record) => ({ ...record, future: [1], netns: "/elsewhere" })),
  "keys in other letters": changed((record) => ({
    ...without(without(record, "kind"), "result"),
    KIND: record["kind"],
    Result: resultOf(record),
  })),
  "white space around it": (facts) => ({
    kind: "text",
    text: `\n ${JSON.stringify(recordOf(facts), undefined, 1)}\r\n`,
  }),
};
