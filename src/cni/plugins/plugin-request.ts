import type { NetworkList, PluginConfiguration } from "../configuration/network-list.ts";
import {
  foldKey,
  parseRawObject,
  printRawObject,
  type RawObject,
  withMember,
  withoutMembers,
} from "../raw-json/raw-object.ts";
import type { CniResult } from "../results/cni-result.ts";
import { printResult } from "../results/print-result.ts";
import { argumentProblem } from "./capability-argument.ts";

/** An attachment that GC must keep. */
export interface ValidAttachment {
  readonly containerId: string;
  readonly ifName: string;
}

export interface RequestFacts {
  /** Handed on as it is; convert it before. */
  readonly prevResult?: CniResult;
  /** Capability to JSON text. */
  readonly capabilityArgs?: Readonly<Record<string, string>>;
  /** GC only: sent under both names that the key has had. */
  readonly validAttachments?: readonly ValidAttachment[];
  /** See `CniRuntime.passReservedKeys`. */
  readonly passReservedKeys?: boolean;
}

/**
 * What one plugin gets on stdin: its configuration as written, with name and version of the list, prevResult,
 * runtimeConfig and valid attachments in place or appended. Values that are not set here keep their exact text.
 * @throws {InvalidNetworkConfigError} if a capability argument is no JSON
 * @see SPEC.md §4 "Deriving execution configuration"; libcni `buildOneConfig`, `injectRuntimeConfig`
 */
export function buildPluginRequest(
  list: Pick<NetworkList, "name" | "cniVersion">,
  plugin: PluginConfiguration,
  facts: RequestFacts = {},
): string {
  const written = parseRawObject(plugin.text);
  let request = facts.passReservedKeys === true ? written : withoutMembers(written, isReserved);
  request = setMember(request, "cniVersion", JSON.stringify(list.cniVersion));
  request = setMember(request, "name", JSON.stringify(list.name));
  if (facts.prevResult !== undefined) {
    request = setMember(request, "prevResult", printResult(facts.prevResult));
  }
  const runtimeConfig = buildRuntimeConfig(plugin, facts.capabilityArgs ?? {});
  if (runtimeConfig !== undefined) request = setMember(request, "runtimeConfig", runtimeConfig);
  if (facts.validAttachments !== undefined) {
    const valid = printAttachments(facts.validAttachments);
    request = setMember(request, "cni.dev/valid-attachments", valid);
    // The name before spec 1.1.0 was amended; plugins of that time read it.
    request = setMember(request, "cni.dev/attachments", valid);
  }
  return printRawObject(request);
}

/** Reserved for the runtime: a plugin must get none of these from the configuration file. */
function isReserved(key: string): boolean {
  const folded = foldKey(key);
  return folded === "capabilities" || folded === "prevresult" || folded.startsWith("cni.dev/");
}

/**
 * Plugins written in Go take the last key that equals but for letter case. So where the author has such a one,
 * ours goes to the end.
 */
function setMember(object: RawObject, key: string, valueText: string): RawObject {
  const folded = foldKey(key);
  const hasVariant = object.members.some((member) => member.key !== key && foldKey(member.key) === folded);
  const target = hasVariant ? withoutMembers(object, (other) => other === key) : object;
  return withMember(target, key, valueText);
}

function buildRuntimeConfig(
  plugin: PluginConfiguration,
  args: Readonly<Record<string, string>>,
): string | undefined {
  const members = Object.entries(plugin.capabilities).flatMap(([capability, isWanted]) => {
    const argument = Object.hasOwn(args, capability) ? args[capability] : undefined;
    if (!isWanted || argument === undefined) return [];
    const problem = argumentProblem(capability, argument);
    if (problem !== undefined) throw problem;
    return [`${JSON.stringify(capability)}:${argument}`];
  });
  return members.length === 0 ? undefined : `{${members.join(",")}}`;
}

function printAttachments(attachments: readonly ValidAttachment[]): string {
  return JSON.stringify(
    attachments.map(({ containerId, ifName }) => ({ containerID: containerId, ifname: ifName })),
  );
}
