import type { BootClock, Namespaces } from "../attachments/ports.ts";
import { isSameNamespace, type PodReference } from "../attachments/sandbox.ts";
import type { SandboxEntry, SandboxRecord } from "../attachments/sandbox-record.ts";
import type { DomainSettings, ReadSettings } from "../attachments/settings.ts";

/** Whether a pod is there, by a source that knows all pods of this node; `unknown`: there is none, or not just now. */
export type PodPresence = (pod: PodReference) => Promise<"there" | "gone" | "unknown">;

/** A record that no live sandbox seems to stand behind, by the record itself or its namespace. */
export interface Leftover {
  readonly record: SandboxRecord;
  readonly kind: "previous-boot" | "no-namespace";
  readonly pod: "there" | "gone" | "unknown";
  /** `delete` only if the pod's source agrees, and the operator wants it. */
  readonly action: "delete" | "report";
}

export interface AssessParts {
  readonly namespaces: Namespaces;
  readonly podPresence: PodPresence;
  readonly settings: ReadSettings;
  readonly clock: BootClock;
}

/**
 * Looks at a record twice: at what it was made for (boot, namespace), and at whether its pod is known. `undefined`: it
 * is in use, or an ADD or DEL is responsible for it. Rejects where it cannot be told whose namespace the path is.
 */
export async function assessLeftover(parts: AssessParts, entry: SandboxEntry): Promise<Leftover | undefined> {
  if (entry.state !== "added") return undefined;
  const kind = await kindOf(parts, entry);
  if (kind === undefined) return undefined;
  const pod = entry.pod === undefined ? "unknown" : await parts.podPresence(entry.pod);
  return { record: entry, kind, pod, action: pod === "gone" ? wanted(parts.settings(), kind) : "report" };
}

async function kindOf(
  { namespaces, clock }: AssessParts,
  { generation, netns, netnsIdentity }: SandboxRecord,
): Promise<Leftover["kind"] | undefined> {
  if (generation.bootId !== clock.bootId) return "previous-boot";
  if (netns === "") return undefined;
  const present = await namespaces.identify(netns);
  if (present === undefined) return "no-namespace";
  if (netnsIdentity === undefined || isSameNamespace(present, netnsIdentity)) return undefined;
  return "no-namespace";
}

function wanted({ collectLeftovers }: DomainSettings, kind: Leftover["kind"]): "delete" | "report" {
  return kind === "previous-boot" ? collectLeftovers.previousBoot : collectLeftovers.uncertain;
}
