import { deepStrictEqual, ok } from "node:assert/strict";
import { parseCacheFile } from "../../src/cni/cache/parse-cache-record.ts";
import { printCacheRecord } from "../../src/cni/cache/print-cache-record.ts";
import {
  buildPluginRequest,
  CniError,
  convertResult,
  networkListText,
  parseNetworkList,
  parseNetworkListOrPlugin,
  parseResult,
  printResult,
  supportedVersions,
} from "../../src/cni/index.ts";
import { pluginFailure } from "../../src/cni/plugins/plugin-failure.ts";
import { parseAddOutput } from "../../src/cni/results/parse-result.ts";
import { parseVersionInfo } from "../../src/cni/results/version-info.ts";
import { cacheRecords, configurations, results, versionAnswers } from "./corpus.ts";

/** A reader of bytes that somebody else wrote, and what must hold of whatever it takes. */
export interface Reader {
  readonly name: string;
  readonly corpus: readonly string[];
  /** Throws a `CniError` for what is refused; anything else that it throws is a finding. */
  read(text: string): void;
}

const prevResult = parseResult('{"cniVersion":"1.1.0","ips":[{"address":"10.0.0.1/8"}]}');

function readConfiguration(text: string): void {
  const list = parseNetworkListOrPlugin(text);
  const again = parseNetworkList(networkListText(list));
  deepStrictEqual({ ...again, text: "" }, { ...list, text: "" });
  for (const plugin of list.plugins.slice(0, 3)) {
    const capabilityArgs = Object.fromEntries(Object.keys(plugin.capabilities).map((key) => [key, "1e400"]));
    const request = buildPluginRequest(list, plugin, { prevResult, capabilityArgs, validAttachments: [] });
    const sent = JSON.parse(request) as Record<string, unknown>;
    deepStrictEqual(sent["name"], list.name);
    deepStrictEqual(sent["cniVersion"], list.cniVersion);
    ok(!Object.hasOwn(sent, "capabilities"));
  }
}

function readResult(text: string): void {
  const result = parseAddOutput(text, "1.1.0");
  deepStrictEqual(parseResult(printResult(result)), result);
  for (const version of supportedVersions) {
    try {
      const converted = convertResult(result, version);
      deepStrictEqual(parseResult(printResult(converted)), converted);
    } catch (error) {
      if (!(error instanceof CniError)) throw error;
    }
  }
}

function readCacheRecord(text: string): void {
  const found = parseCacheFile(text);
  if (found.kind === "corrupt") throw new CniError(found.reason);
  if (found.kind !== "record") return;
  const { record } = found;
  deepStrictEqual(parseCacheFile(printCacheRecord(record)), { kind: "record", record });
}

function readAnswer(text: string): void {
  const output = { stdout: text, stdoutTruncated: false, stderr: text.slice(-100), wallMs: 1, maxRssKib: 1 };
  const failure = pluginFailure("p", "DEL", { kind: "exited", exitCode: 1, output });
  ok(failure.message !== "", "an error without a message");
  ok(failure.message.length + (failure.details?.length ?? 0) < maxErrorLength, "a long error of a plugin");
  ok(parseVersionInfo(text).length > 0, "no versions");
}

/** Every character of an excerpt can become ten in quotes. */
export const maxErrorLength = 100_000;

export const readers: readonly Reader[] = [
  { name: "configuration", corpus: configurations, read: readConfiguration },
  { name: "result", corpus: results, read: readResult },
  { name: "cache record", corpus: cacheRecords, read: readCacheRecord },
  { name: "VERSION answer", corpus: versionAnswers, read: readAnswer },
];
