import { convertResult, parseResult } from "../cni/index.ts";
import { parseRecordedList } from "./recorded-list.ts";
import type { AttachmentRecord, SandboxRecord } from "./sandbox-record.ts";
import type { AttachmentFilter, AttachmentView } from "./views.ts";

/** A sandbox's attachments as operators see them, in ADD order. */
export function viewAttachments(record: SandboxRecord): readonly AttachmentView[] {
  return record.attachments.map((attachment, index) => {
    const { ips, mac } = addressesOf(attachment);
    const isPrimary = index === 0 && record.networkStatus !== undefined;
    return {
      sandbox: record.containerId,
      pod:
        record.pod === undefined
          ? null
          : { namespace: record.pod.namespace, name: record.pod.name, uid: record.pod.uid ?? "" },
      network: attachment.network,
      interface: attachment.interface,
      plugins: pluginsOf(attachment),
      ips,
      mac,
      deviceId: attachment.deviceId ?? "",
      policy: { mode: attachment.policy.policy.mode, source: attachment.policy.source },
      state: attachment.state,
      since: attachment.since,
      ...(isPrimary ? { networkStatus: record.networkStatus } : {}),
    };
  });
}

export function matchesFilter(view: AttachmentView, filter: AttachmentFilter): boolean {
  const { pod, network, sandbox } = filter;
  if (pod !== undefined && (view.pod?.namespace !== pod.namespace || view.pod.name !== pod.name))
    return false;
  if (network !== undefined && view.network !== network) return false;
  return sandbox === undefined || view.sandbox === sandbox;
}

function pluginsOf(attachment: AttachmentRecord): readonly string[] {
  try {
    return parseRecordedList(attachment.config).plugins.map((plugin) => plugin.type);
  } catch {
    return [];
  }
}

/** A view must not fail for one odd record: what cannot be read is shown empty. */
function addressesOf({ result: text, interface: name }: AttachmentRecord): {
  ips: readonly string[];
  mac: string;
} {
  if (text === undefined) return { ips: [], mac: "" };
  try {
    const { ips = [], interfaces = [] } = convertResult(parseResult(text, ""), "1.1.0");
    const link = interfaces.find((own) => own.name === name && (own.sandbox ?? "") !== "");
    return { ips: ips.map(({ address }) => address), mac: link?.mac ?? "" };
  } catch {
    return { ips: [], mac: "" };
  }
}
