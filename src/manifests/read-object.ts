import type { ManifestBody, ManifestKind, ObjectName } from "./manifest-object.ts";

/** A value of a document: its JSON form and where it is found there. */
export interface Placed {
  readonly value: unknown;
  readonly path: readonly (string | number)[];
}

export type ReadObject =
  | { readonly outcome: "object"; readonly name: ObjectName; readonly body: ManifestBody }
  | { readonly outcome: "ignored"; readonly kind: string }
  | {
      readonly outcome: "broken";
      /** Absent: it cannot be told what it was meant to be. */
      readonly name: ObjectName | undefined;
      readonly path: readonly (string | number)[];
      readonly message: string;
    };

/** `apiVersion` of the kinds that are read. */
const apiVersions: Readonly<Record<ManifestKind, string>> = {
  Pod: "v1",
  NetworkAttachmentDefinition: "k8s.cni.cncf.io/v1",
  Namespace: "v1",
};

/** Reads one Kubernetes object as the API server would take it, as far as multusd uses it. */
export function readObject({ value, path }: Placed): ReadObject {
  const broken = (at: readonly string[], message: string, name?: ObjectName): ReadObject => ({
    outcome: "broken",
    name,
    path: [...path, ...at],
    message,
  });
  if (!isObject(value)) return broken([], "must be an object with apiVersion, kind and metadata");
  const kind = value["kind"];
  if (typeof kind !== "string" || kind === "") return broken(["kind"], "kind must be a string");
  if (!isManifestKind(kind)) return { outcome: "ignored", kind };
  const name = readName(kind, value);
  if (name === undefined) return broken(["metadata"], `${kind}: metadata.name must be the name of an object`);
  const fault = findFault(kind, value);
  if (fault !== undefined) return broken(fault.path, `${describe(name)}: ${fault.message}`, name);
  return { outcome: "object", name, body: readBody(name, value) };
}

/** The same name that `readObject` gives, read from whatever is there. */
export function readName(kind: ManifestKind, value: unknown): ObjectName | undefined {
  const metadata = member(value, "metadata");
  const name = member(metadata, "name");
  const namespace = kind === "Namespace" ? "" : (member(metadata, "namespace") ?? "default");
  if (typeof name !== "string" || !isObjectName(name)) return undefined;
  if (typeof namespace !== "string" || (kind !== "Namespace" && !isObjectName(namespace))) return undefined;
  return { kind, namespace, name };
}

export function isManifestKind(kind: unknown): kind is ManifestKind {
  return typeof kind === "string" && Object.hasOwn(apiVersions, kind);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

interface Fault {
  readonly path: readonly string[];
  readonly message: string;
}

function findFault(kind: ManifestKind, value: Readonly<Record<string, unknown>>): Fault | undefined {
  const wanted = apiVersions[kind];
  if (value["apiVersion"] !== wanted) {
    return { path: ["apiVersion"], message: `apiVersion must be ${wanted}` };
  }
  const uid = member(value["metadata"], "uid");
  if (uid !== undefined && typeof uid !== "string") {
    return { path: ["metadata", "uid"], message: "metadata.uid must be a string" };
  }
  return annotationFault(value) ?? (kind === "NetworkAttachmentDefinition" ? specFault(value) : undefined);
}

function annotationFault(value: Readonly<Record<string, unknown>>): Fault | undefined {
  const annotations = member(value["metadata"], "annotations") ?? undefined;
  if (annotations === undefined) return undefined;
  const path = ["metadata", "annotations"];
  if (!isObject(annotations)) return { path, message: "metadata.annotations must be an object" };
  const odd = Object.keys(annotations).find((key) => typeof annotations[key] !== "string");
  if (odd === undefined) return undefined;
  return {
    path: [...path, odd],
    message: `annotation ${odd.slice(0, 128)} must be a string: put it in quotes`,
  };
}

function specFault(value: Readonly<Record<string, unknown>>): Fault | undefined {
  const spec = value["spec"] ?? undefined;
  if (spec === undefined) return undefined;
  if (!isObject(spec)) return { path: ["spec"], message: "spec must be an object" };
  const config = spec["config"] ?? undefined;
  if (config === undefined || typeof config === "string") return undefined;
  return { path: ["spec", "config"], message: "spec.config must be a string that holds JSON" };
}

function readBody(
  { kind, namespace, name }: ObjectName,
  value: Readonly<Record<string, unknown>>,
): ManifestBody {
  const annotations = readAnnotations(value);
  if (kind === "Namespace") return { kind, annotations };
  if (kind === "Pod") {
    const uid = member(value["metadata"], "uid");
    const source = annotations["kubernetes.io/config.source"];
    const isStatic = source !== undefined && source !== "api";
    return {
      kind,
      pod: { namespace, name, ...(typeof uid === "string" ? { uid } : {}), annotations, isStatic },
    };
  }
  const config = member(value["spec"], "config");
  const definition = { namespace, name, annotations, ...(typeof config === "string" ? { config } : {}) };
  return { kind, definition };
}

function readAnnotations(value: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const annotations = member(value["metadata"], "annotations");
  if (!isObject(annotations)) return {};
  const entries = Object.entries(annotations).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return Object.freeze(Object.fromEntries(entries));
}

function member(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function isObjectName(name: string): boolean {
  return name.length <= 253 && /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/.test(name);
}

function describe({ kind, namespace, name }: ObjectName): string {
  return kind === "Namespace" ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}
