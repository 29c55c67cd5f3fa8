import { setImmediate } from "node:timers/promises";
import { type ManifestDocument, readDocuments } from "./manifest-document.ts";
import type {
  BrokenObject,
  ManifestObject,
  ObjectName,
  ParsedManifest,
  Position,
} from "./manifest-object.ts";
import { isManifestKind, isObject, type Placed, readName, readObject } from "./read-object.ts";
import { splitDocuments } from "./split-documents.ts";

const maxProblems = 100;
const maxListDepth = 3;
/** Between documents other work gets its turn once this long has gone by. */
const sliceMs = 10;

/**
 * Reads a file of YAML documents (JSON is one, too). Each document, and each item of a List, is taken or refused by
 * itself. Never rejects.
 */
export async function parseManifest(text: string): Promise<ParsedManifest> {
  const reader = new ManifestReader();
  let sliceStart = performance.now();
  for (const part of splitDocuments(text)) {
    for (const document of readDocuments(part)) reader.read(document);
    if (performance.now() - sliceStart < sliceMs) continue;
    await setImmediate();
    sliceStart = performance.now();
  }
  return reader.result();
}

class ManifestReader {
  readonly #objects: ManifestObject[] = [];
  readonly #broken: BrokenObject[] = [];
  readonly #problems: (Position & { readonly message: string })[] = [];
  readonly #ignored = new Set<string>();

  result(): ParsedManifest {
    return {
      objects: this.#objects,
      broken: this.#broken,
      problems: this.#problems,
      ignoredKinds: [...this.#ignored],
    };
  }

  read(document: ManifestDocument): void {
    const { value, fault } = document;
    if (fault !== undefined) this.#refuse(fault, attribute(document));
    // Nothing but comments, or an empty document between two separators.
    else if (value !== null && value !== undefined) this.#readValue(document, { value, path: [] }, 0);
  }

  #readValue(document: ManifestDocument, placed: Placed, depth: number): void {
    const items = listItems(placed);
    if (items !== undefined && depth < maxListDepth) {
      for (const item of items) this.#readValue(document, item, depth + 1);
      return;
    }
    const read = readObject(placed);
    if (read.outcome === "ignored") this.#ignored.add(read.kind.slice(0, 64));
    else if (read.outcome === "broken") {
      this.#refuse({ ...document.locate(read.path), message: read.message }, read.name);
    } else this.#objects.push({ ...document.start, name: read.name, body: read.body });
  }

  #refuse(fault: Position & { readonly message: string }, name: ObjectName | undefined): void {
    if (this.#problems.length < maxProblems) this.#problems.push(fault);
    if (name !== undefined) this.#broken.push({ ...fault, name });
  }
}

/** The items of a List (`List`, `PodList`, …); those of a typed list need not repeat what they are. */
function listItems({ value, path }: Placed): readonly Placed[] | undefined {
  if (!isObject(value) || typeof value["kind"] !== "string" || !value["kind"].endsWith("List"))
    return undefined;
  const items = value["items"];
  if (!Array.isArray(items)) return undefined;
  const kind = value["kind"].slice(0, -"List".length);
  const defaults = kind === "" ? {} : { kind, apiVersion: value["apiVersion"] };
  return items.map((item: unknown, index) => ({
    value: isObject(item) ? { ...defaults, ...item } : item,
    path: [...path, "items", index],
  }));
}

/** What a document with a fault was meant to be: its beginning may well be readable. */
function attribute(document: ManifestDocument): ObjectName | undefined {
  try {
    const kind = document.peek(["kind"]);
    if (!isManifestKind(kind)) return undefined;
    const metadata = {
      name: document.peek(["metadata", "name"]),
      namespace: document.peek(["metadata", "namespace"]),
    };
    return readName(kind, { metadata });
  } catch {
    // Only a guess was asked for; that the document is broken is reported anyhow.
    return undefined;
  }
}
