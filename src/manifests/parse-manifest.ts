import { setImmediate } from "node:timers/promises";
import { type Document, isNode, LineCounter, parseAllDocuments } from "yaml";
import type {
  BrokenObject,
  ManifestObject,
  ObjectName,
  ParsedManifest,
  Position,
} from "./manifest-object.ts";
import { isManifestKind, isObject, type Placed, readName, readObject } from "./read-object.ts";
import { type DocumentText, splitDocuments } from "./split-documents.ts";

/** Aliases let a few lines of YAML stand for gigabytes. */
const maxAliasCount = 100;
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
    reader.readPart(part);
    if (performance.now() - sliceStart < sliceMs) continue;
    await setImmediate();
    sliceStart = performance.now();
  }
  return reader.result();
}

class ManifestReader {
  #lines = new LineCounter();
  #linesBefore = 0;
  readonly #objects: ManifestObject[] = [];
  readonly #broken: BrokenObject[] = [];
  readonly #problems: (Position & { readonly message: string })[] = [];
  readonly #ignored = new Set<string>();

  readPart({ text, linesBefore }: DocumentText): void {
    this.#linesBefore = linesBefore;
    this.#lines = new LineCounter();
    try {
      const options = { lineCounter: this.#lines, prettyErrors: false, logLevel: "silent" } as const;
      for (const document of parseAllDocuments(text, options)) this.#readDocument(document);
    } catch (error) {
      this.#complain({ line: linesBefore + 1, column: 1 }, `is no YAML: ${describeThrown(error)}`);
    }
  }

  result(): ParsedManifest {
    return {
      objects: this.#objects,
      broken: this.#broken,
      problems: this.#problems,
      ignoredKinds: [...this.#ignored],
    };
  }

  #readDocument(document: Document): void {
    const [error] = document.errors;
    if (error !== undefined) {
      const message = `is no YAML: ${firstLine(error.message)}`;
      this.#refuse(this.#position(error.pos[0]), message, attribute(document));
      return;
    }
    try {
      const value: unknown = document.toJS({ maxAliasCount });
      // Nothing but comments, or an empty document between two separators.
      if (value !== null && value !== undefined) this.#readValue(document, { value, path: [] }, 0);
    } catch (thrown) {
      this.#complain(this.#positionOf(document, []), describeThrown(thrown));
    }
  }

  #complain(position: Position, message: string): void {
    if (this.#problems.length < maxProblems) this.#problems.push({ ...position, message });
  }

  #readValue(document: Document, placed: Placed, depth: number): void {
    const items = listItems(placed);
    if (items !== undefined && depth < maxListDepth) {
      for (const item of items) this.#readValue(document, item, depth + 1);
      return;
    }
    const read = readObject(placed);
    if (read.outcome === "ignored") {
      this.#ignored.add(read.kind.slice(0, 64));
      return;
    }
    const position = this.#positionOf(document, read.outcome === "broken" ? read.path : placed.path);
    if (read.outcome === "object") this.#objects.push({ ...position, name: read.name, body: read.body });
    else this.#refuse(position, read.message, read.name);
  }

  #refuse(position: Position, message: string, name: ObjectName | undefined): void {
    this.#complain(position, message);
    if (name !== undefined) this.#broken.push({ ...position, name, message });
  }

  /** Position of the value at `path`, or of the nearest thing around it that is there. */
  #positionOf(document: Document, path: readonly (string | number)[]): Position {
    for (let length = path.length; length > 0; length -= 1) {
      const node: unknown = document.getIn(path.slice(0, length), true);
      if (isNode(node) && node.range) return this.#position(node.range[0]);
    }
    const { contents } = document;
    return this.#position((isNode(contents) ? contents.range?.[0] : undefined) ?? document.range?.[0] ?? 0);
  }

  #position(offset: number): Position {
    const { line, col } = this.#lines.linePos(offset);
    return { line: this.#linesBefore + Math.max(1, line), column: Math.max(1, col) };
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

/** What a document that is no YAML was meant to be: its beginning may well be readable. */
function attribute(document: Document): ObjectName | undefined {
  try {
    const read = (...path: string[]): unknown => document.getIn(path);
    const kind = read("kind");
    if (!isManifestKind(kind)) return undefined;
    const metadata = { name: read("metadata", "name"), namespace: read("metadata", "namespace") };
    return readName(kind, { metadata });
  } catch {
    // Only a guess was asked for; that the document is broken is reported anyhow.
    return undefined;
  }
}

function describeThrown(error: unknown): string {
  return error instanceof Error ? firstLine(error.message) : "unreadable";
}

function firstLine(message: string): string {
  return (message.split("\n", 1)[0] ?? "").slice(0, 200);
}
