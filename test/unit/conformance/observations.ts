import type { LeftFile, Observation } from "../../conformance/run/observation.ts";
import type { Scenario } from "../../conformance/scenario.ts";
import type { RecordedCall } from "../../support/recorded-calls.ts";

const listText = '{"name":"net1","plugins":[{"type":"alpha","n":1.0,"capabilities":{"mac":true}}]}';

/** A list of one plugin that is added once. */
export const scenario: Scenario = {
  index: 0,
  title: "made for a test",
  files: { "net.d/20-own.conflist": listText },
  plugins: { "bin/alpha": "recording" },
  env: {},
  network: "net1",
  netns: "/run/netns/x",
  steps: [{ verb: "add", before: [] }],
  stumblingBlocks: [],
};

export function callWith(stdin: string, changes: Partial<RecordedCall> = {}): RecordedCall {
  return {
    command: "ADD",
    containerId: "c1",
    ifName: "eth0",
    netns: "/run/netns/x",
    network: "net1",
    type: "alpha",
    path: "/var/lib/cni/bin/alpha",
    env: { CNI_COMMAND: "ADD", PWD: "/" },
    stdin,
    pid: 1,
    group: 1,
    startedNs: 1n,
    ...changes,
  };
}

export function observe(changes: Partial<Observation> = {}): Observation {
  const files: ReadonlyMap<string, LeftFile> = new Map();
  return { exit: 0, stdout: "", stderr: "", calls: [], filesBefore: files, filesAfter: files, ...changes };
}

export function files(texts: Readonly<Record<string, string>>): ReadonlyMap<string, LeftFile> {
  return new Map(Object.entries(texts).map(([name, text]) => [name, { text, mode: 0o600 }]));
}
