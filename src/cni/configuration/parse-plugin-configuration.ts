import {
  type Decode,
  decodeArray,
  decodeBoolean,
  decodeMap,
  decodeString,
  decodeStrings,
  decodeStruct,
  documentPlace,
} from "../decoding/decode.ts";
import { InvalidNetworkConfigError } from "../errors/configuration-errors.ts";
import { compareBytewise } from "../files/list-files.ts";
import { jsonKind } from "../raw-json/json-kind.ts";
import { scanDocument } from "../raw-json/json-scanner.ts";
import { JsonTypeError } from "../raw-json/json-type-error.ts";
import { parseRawObject, printRawObject } from "../raw-json/raw-object.ts";
import { configurationError } from "./configuration-error.ts";
import type { PluginConfiguration } from "./network-list.ts";

const what = "error parsing configuration";

/**
 * Reads one plugin configuration that stands by itself. The keys that libcni knows must have its types, in any letter
 * case, and the last of several counts unless it is `null`; every other key is left alone.
 * @throws {InvalidNetworkConfigError}
 * @see libcni `NetworkPluginConfFromBytes`
 */
export function parsePluginConfiguration(text: string): PluginConfiguration {
  return parse(text, (written) => written);
}

/**
 * Reads one element of a list. libcni sorts the keys before it looks at them: of two that differ in letter case only,
 * the one in lower case counts, wherever it stands.
 * @throws {InvalidNetworkConfigError}
 * @see libcni `NetworkConfFromBytes`
 */
export function parseListedPlugin(text: string): PluginConfiguration {
  return parse(text, sortedKeys);
}

function parse(text: string, order: (text: string) => string): PluginConfiguration {
  try {
    // As deep as it may be inside a list: a single plugin is kept as one, and must be read back.
    scanDocument(text, 2);
    return { ...readKeys(order(text)), text: text.trim() };
  } catch (error) {
    throw configurationError(what, error);
  }
}

/** Of equal keys the last. */
function sortedKeys(text: string): string {
  if (jsonKind(text) !== "object") return text;
  const last = new Map(parseRawObject(text).members.map((member) => [member.key, member]));
  const members = [...last.values()].sort((left, right) => compareBytewise(left.key, right.key));
  return printRawObject({ members });
}

function readKeys(text: string): Omit<PluginConfiguration, "text"> {
  let type = "";
  let name = "";
  let cniVersion = "";
  let ipamType = "";
  let capabilities: Readonly<Record<string, boolean>> = {};
  decodeStruct(text, documentPlace, "types.PluginConf", {
    cniVersion: (value, place) => {
      cniVersion = decodeString(value, place);
    },
    name: (value, place) => {
      name = decodeString(value, place);
    },
    type: (value, place) => {
      type = decodeString(value, place);
    },
    capabilities: (value, place) => {
      // Go fills the same map for each of several keys that differ in letter case.
      capabilities = { ...capabilities, ...decodeCapabilities(value, place) };
    },
    ipam: (value, place) =>
      decodeStruct(value, place, "types.IPAM", {
        type: (inner, innerPlace) => {
          ipamType = decodeString(inner, innerPlace);
        },
      }),
    dns: decodeDnsTypes,
    prevResult: (value, place) => {
      if (jsonKind(value) !== "object") throw new JsonTypeError(value, place, "map[string]interface {}");
    },
    "cni.dev/valid-attachments": decodeValidAttachments,
  });
  if (type === "") throw new InvalidNetworkConfigError(`${what}: missing 'type'`);
  return {
    type,
    name,
    cniVersion,
    capabilities,
    ...(ipamType === "" ? {} : { ipamType }),
  };
}

const decodeCapabilities = decodeMap("map[string]bool", decodeBoolean);

const decodeDnsTypes: Decode<void> = (text, place) =>
  decodeStruct(text, place, "types.DNS", {
    nameservers: decodeStrings,
    domain: decodeString,
    search: decodeStrings,
    options: decodeStrings,
  });

const decodeValidAttachments = decodeArray<void>("[]types.GCAttachment", (text, place) =>
  decodeStruct(text, place, "types.GCAttachment", { containerID: decodeString, ifname: decodeString }),
);
