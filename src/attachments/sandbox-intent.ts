import { type CniResult, networkListText, printResult } from "../cni/index.ts";
import type { Delegate } from "./delegate.ts";
import type { CniInvocation } from "./invocation.ts";
import type { BootClock, UpstreamDelegate } from "./ports.ts";
import { isSameNamespace, type NamespaceIdentity, type PodReference } from "./sandbox.ts";
import type { AttachmentRecord, SandboxRecord } from "./sandbox-record.ts";

/** What is made durable before the first plugin runs. */
export function intentRecord(
  invocation: CniInvocation,
  pod: PodReference | undefined,
  netnsIdentity: NamespaceIdentity | undefined,
  delegates: readonly Delegate[],
  clock: BootClock,
): SandboxRecord {
  return {
    containerId: invocation.containerId,
    ifName: invocation.ifName,
    state: "adding",
    generation: invocation.generation,
    ...(pod === undefined ? {} : { pod }),
    netns: invocation.netns,
    ...(netnsIdentity === undefined ? {} : { netnsIdentity }),
    created: clock.nowText(),
    attachments: delegates.map((delegate) => attachmentOf(delegate, clock)),
  };
}

export function attachmentOf(delegate: Delegate, clock: BootClock): AttachmentRecord {
  const { attachment, selection } = delegate;
  const hasPluginPolicies = Object.keys(delegate.pluginPolicies).length > 0;
  return {
    network: delegate.network,
    listName: delegate.list.name,
    interface: delegate.interface,
    config: networkListText(delegate.list),
    args: attachment.args,
    capabilityArgs: attachment.capabilityArgs,
    searchPath: attachment.searchPath,
    ...(attachment.root === undefined ? {} : { root: attachment.root }),
    ...(selection?.deviceId === undefined ? {} : { deviceId: selection.deviceId }),
    policy: delegate.policy,
    ...(hasPluginPolicies ? { pluginPolicies: delegate.pluginPolicies } : {}),
    state: "adding",
    since: clock.nowText(),
  };
}

/** The record of an ADD whose networks are all there. */
export function attachedRecord(intent: SandboxRecord, results: readonly CniResult[]): SandboxRecord {
  const attachments = intent.attachments.map((attachment, index): AttachmentRecord => {
    const result = results[index];
    return {
      ...attachment,
      state: "added",
      ...(result === undefined ? {} : { result: printResult(result) }),
    };
  });
  return { ...intent, state: "added", attachments };
}

/** True if the record is of this very namespace: the ADD was made, only its answer may have been lost. */
export function isStillAttached(
  record: SandboxRecord,
  invocation: CniInvocation,
  identity: NamespaceIdentity | undefined,
): boolean {
  if (record.state !== "added") return false;
  if (record.netnsIdentity === undefined || identity === undefined) {
    return record.netnsIdentity === identity && record.netns === invocation.netns;
  }
  return isSameNamespace(record.netnsIdentity, identity);
}

/** Upstream's scratch file, so that a node can be moved back to it. */
export function upstreamDelegates(delegates: readonly Delegate[]): readonly UpstreamDelegate[] {
  return delegates.map(({ list, network, selection }) => ({
    config: networkListText(list),
    name: network,
    ...(selection?.interface === undefined ? {} : { interfaceRequest: selection.interface }),
    ...(selection?.mac === undefined ? {} : { macRequest: selection.mac }),
    ...(selection?.ips === undefined ? {} : { ipRequest: selection.ips }),
    ...(selection?.deviceId === undefined ? {} : { deviceId: selection.deviceId }),
  }));
}
