import type { Attachment, NetworkList } from "../cni/index.ts";
import type { ResolvedPolicy } from "./error-policy.ts";
import type { NetworkSelection } from "./network-selection.ts";
import type { SandboxKey } from "./sandbox.ts";

/** A list chosen for a sandbox, before it is known how it is attached. */
export interface ChosenNetwork {
  /** Definition's `ns/name`, or the list's name where it comes from a file or the multus configuration. */
  readonly network: string;
  /** As it will be executed: name injected, arguments merged, our own keys taken out. */
  readonly list: NetworkList;
  readonly policy: ResolvedPolicy;
  readonly pluginPolicies: Readonly<Record<string, ResolvedPolicy>>;
  /** The pod's own wishes; absent for networks that the cluster gives. */
  readonly selection?: NetworkSelection;
}

/** A chosen network with everything that its plugins get. */
export interface Delegate extends ChosenNetwork {
  readonly interface: string;
  readonly isPrimary: boolean;
  readonly attachment: Attachment;
}

/** `K8S_POD_*` and friends in upstream's order, with the pod's address wishes behind them (multus reference §2.7). */
export function delegateArgs(
  invocation: SandboxKey & { readonly args: readonly (readonly [string, string])[] },
  selection: NetworkSelection | undefined,
): readonly (readonly [string, string])[] {
  const given = new Map(invocation.args);
  const namespace = given.get("K8S_POD_NAMESPACE");
  const args: (readonly [string, string])[] =
    namespace === undefined
      ? [...withoutKey(invocation.args, "IgnoreUnknown")]
      : podArgs(given, invocation.containerId);
  args.unshift(["IgnoreUnknown", "true"]);
  if (selection?.mac !== undefined) args.push(["MAC", selection.mac]);
  if (selection?.ips !== undefined && selection.ips.length > 0) args.push(["IP", selection.ips.join(",")]);
  return args;
}

function podArgs(given: ReadonlyMap<string, string>, containerId: string): (readonly [string, string])[] {
  return [
    ["K8S_POD_NAMESPACE", given.get("K8S_POD_NAMESPACE") ?? ""],
    ["K8S_POD_NAME", given.get("K8S_POD_NAME") ?? ""],
    ["K8S_POD_INFRA_CONTAINER_ID", given.get("K8S_POD_INFRA_CONTAINER_ID") ?? containerId],
    ["K8S_POD_UID", given.get("K8S_POD_UID") ?? ""],
  ];
}

function withoutKey(args: readonly (readonly [string, string])[], key: string) {
  return args.filter(([name]) => name !== key);
}

/**
 * The runtime's capability arguments go to every delegate; what the pod asked of a network replaces them there,
 * key by key (multus reference §4.5).
 */
export function capabilityArguments(
  runtimeConfig: Readonly<Record<string, string>>,
  selection: NetworkSelection | undefined,
): Readonly<Record<string, string>> {
  if (selection === undefined) return runtimeConfig;
  const wishes: Record<string, string | undefined> = {
    portMappings: selection.portMappings,
    bandwidth: selection.bandwidth,
    ips: selection.ips === undefined ? undefined : JSON.stringify(selection.ips),
    mac: selection.mac === undefined ? undefined : JSON.stringify(selection.mac),
    infinibandGUID:
      selection.infinibandGuid === undefined ? undefined : JSON.stringify(selection.infinibandGuid),
    deviceID: selection.deviceId === undefined ? undefined : JSON.stringify(selection.deviceId),
  };
  const asked = Object.entries(wishes).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { ...runtimeConfig, ...Object.fromEntries(asked) };
}
