import type { Generation, NamespaceIdentity, PodReference } from "../attachments/sandbox.ts";
import type { Age, AttachmentRecord, PluginErrorFacts } from "../attachments/sandbox-record.ts";

/** One try at an owed deletion. */
export interface Attempt {
  /** RFC 3339 UTC. */
  readonly at: string;
  readonly outcome: "failed" | "fenced" | "interrupted";
  readonly durationMs: number;
  readonly error?: PluginErrorFacts;
}

/** A DEL that is still owed: one attachment of one generation of a sandbox. */
export interface DeletionRecord {
  /** Hash of container, generation, network and interface: writing it twice is writing it once. */
  readonly id: string;
  readonly state: "pending" | "dead";
  /** CNI_CONTAINERID. */
  readonly sandbox: string;
  /** CNI_IFNAME of the sandbox's primary. */
  readonly ifName: string;
  readonly generation: Generation;
  readonly pod?: PodReference;
  readonly netns: string;
  readonly netnsIdentity?: NamespaceIdentity;
  /** What is left is in its `owed`. */
  readonly attachment: AttachmentRecord;
  readonly attemptCount: number;
  /** The first and the latest 20. */
  readonly attempts: readonly Attempt[];
  readonly lastError?: PluginErrorFacts;
  /** RFC 3339 UTC. */
  readonly created: string;
  readonly age: Age;
  /** Why it is owed, or why it was given up. */
  readonly reason: string;
  /** What a dead letter died of; absent in records of earlier versions. */
  readonly death?: "age" | "fenced" | "crashes";
  /** A whole DEL as a shim spooled it, in the place of one attachment's: what daemons died of. */
  readonly spooled?: {
    readonly name: string;
    readonly env: Readonly<Record<string, string>>;
    readonly config: string;
  };
  /** Elapsed milliseconds at which it was revived: `giveUpAfter` counts from there. */
  readonly lifeFromMs?: number;
}

/** True for a dead letter that was given up over time, not for what it is. */
export function diedOfAge({ state, death, reason }: DeletionRecord): boolean {
  if (state !== "dead") return false;
  return death === undefined ? reason.startsWith("given up after") : death === "age";
}
