import { createHash } from "node:crypto";
import { newAge } from "../attachments/age.ts";
import type { BootClock } from "../attachments/ports.ts";
import type { AttachmentRecord, SandboxRecord } from "../attachments/sandbox-record.ts";
import type { SettledAttachment } from "./attachment-outcome.ts";
import type { DeletionRecord } from "./deletion-record.ts";

/** What the daemon owes of a settled attachment, with the try that was just made. */
export function deletionOf(
  record: SandboxRecord,
  { attachment, settled, deferred }: SettledAttachment,
  clock: BootClock,
  reason: string,
): DeletionRecord {
  const owed = settled.filter(({ index }) => deferred.includes(index));
  const tried = owed.filter(({ wasTried }) => wasTried);
  const lastError = (tried[0] ?? owed[0])?.error;
  return {
    id: deletionId(record, attachment),
    state: "pending",
    sandbox: record.containerId,
    ifName: record.ifName,
    generation: record.generation,
    ...(record.pod === undefined ? {} : { pod: record.pod }),
    netns: record.netns,
    ...(record.netnsIdentity === undefined ? {} : { netnsIdentity: record.netnsIdentity }),
    attachment: { ...attachment, state: "deleting", owed: [...deferred].sort((a, b) => a - b) },
    attemptCount: tried.length > 0 ? 1 : 0,
    attempts: [],
    ...(lastError === undefined ? {} : { lastError }),
    created: clock.nowText(),
    age: newAge(clock),
    reason,
  };
}

/** Deterministic, so that a DEL which is settled again after a crash owes the same thing once. */
function deletionId(record: SandboxRecord, attachment: AttachmentRecord): string {
  const { containerId, generation } = record;
  const parts = [
    containerId,
    generation.bootId,
    generation.startNs,
    attachment.network,
    attachment.interface,
  ];
  return createHash("sha256").update(parts.join("\0")).digest("hex").slice(0, 20);
}
