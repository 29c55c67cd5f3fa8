import type { NetworkDefinition, Pod } from "../attachments/ports.ts";

export type ManifestKind = "Pod" | "NetworkAttachmentDefinition" | "Namespace";

/** What names an object: one of the same key replaces it. A namespace has no namespace of its own. */
export interface ObjectName {
  readonly kind: ManifestKind;
  readonly namespace: string;
  readonly name: string;
}

export function objectKey({ kind, namespace, name }: ObjectName): string {
  return `${kind} ${namespace}/${name}`;
}

/** Where in a file something stands; lines and columns from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** What is wrong with a file, or worth knowing: never holds a configuration. */
export interface ManifestProblem extends Position {
  /** Path of the file. */
  readonly file: string;
  readonly message: string;
}

export type ManifestBody =
  | { readonly kind: "Pod"; readonly pod: Pod }
  | { readonly kind: "NetworkAttachmentDefinition"; readonly definition: NetworkDefinition }
  | { readonly kind: "Namespace"; readonly annotations: Readonly<Record<string, string>> };

/** One object of a file, and where its document begins. */
export interface ManifestObject extends Position {
  readonly name: ObjectName;
  readonly body: ManifestBody;
}

/** An object that is there, but cannot be used. */
export interface BrokenObject extends Position {
  readonly name: ObjectName;
  readonly message: string;
}

export interface ParsedManifest {
  readonly objects: readonly ManifestObject[];
  readonly broken: readonly BrokenObject[];
  /** All of them, `broken` ones too. */
  readonly problems: readonly (Position & { readonly message: string })[];
  /** Kinds that multusd has no use for. */
  readonly ignoredKinds: readonly string[];
}
