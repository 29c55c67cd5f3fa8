import { type Document, isAlias, isMap, isNode, isScalar, LineCounter, parseAllDocuments, visit } from "yaml";
import type { Position } from "./manifest-object.ts";
import type { DocumentText } from "./split-documents.ts";

/** One document: its value, or what is wrong with it, and where things stand in the file. */
export interface ManifestDocument {
  /** Where its content begins. */
  readonly start: Position;
  /** JSON form; `undefined` where there is a fault, and for a document without content. */
  readonly value: unknown;
  readonly fault: (Position & { readonly message: string }) | undefined;
  /** A member as far as it can be read, also of a document with a fault. */
  peek(path: readonly string[]): unknown;
  /** Position of the value at `path`, or of the nearest thing around it that is there. */
  locate(path: readonly (string | number)[]): Position;
}

/** Aliases let a few lines of YAML stand for gigabytes. */
const maxAliasCount = 100;
/** The parser is slow for what is hostile; no object of a cluster is larger than 1.5 MiB. JSON has no such bound. */
const maxYamlLength = 1024 * 1024;

/** Reads a part of a file; never throws. */
export function readDocuments(part: DocumentText): readonly ManifestDocument[] {
  return readJson(part) ?? readYaml(part);
}

/** Most manifests of machines are JSON, which V8 reads a hundred times faster; positions are found when asked for. */
function readJson(part: DocumentText): readonly ManifestDocument[] | undefined {
  if (!/^\uFEFF?\s*\{/.test(part.text)) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(part.text.replace(/^\uFEFF/, ""));
  } catch {
    // YAML of one line, or a mistake that the other parser names better.
    return undefined;
  }
  const locate = (path: readonly (string | number)[]) => readYaml(part)[0]?.locate(path) ?? startOf(part);
  return [{ start: startOf(part), value, fault: undefined, peek: () => undefined, locate }];
}

function readYaml(part: DocumentText): readonly ManifestDocument[] {
  if (part.text.length > maxYamlLength) return [refused(part, "is a YAML document larger than 1 MiB")];
  const lines = new LineCounter();
  const positionOf = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: part.linesBefore + Math.max(1, line), column: Math.max(1, col) };
  };
  try {
    // The library's own check for doubled keys compares each with each: 20 s for 20 000 of them.
    const options = {
      lineCounter: lines,
      prettyErrors: false,
      logLevel: "silent",
      uniqueKeys: false,
    } as const;
    return parseAllDocuments(part.text, options).map((document) => readDocument(document, positionOf));
  } catch (error) {
    return [refused(part, `is no YAML: ${firstLine(error)}`)];
  }
}

function readDocument(document: Document, positionOf: (offset: number) => Position): ManifestDocument {
  const faultAt = (offset: number, message: string) => ({
    ...positionOf(offset),
    message: `is no YAML: ${message}`,
  });
  const locate = (path: readonly (string | number)[]) => positionOf(offsetOf(document, path));
  const found = { start: locate([]), peek: (path: readonly string[]) => document.getIn(path), locate };
  const [error] = document.errors;
  if (error !== undefined) {
    return { ...found, value: undefined, fault: faultAt(error.pos[0], firstLine(error)) };
  }
  const doubled = findDoubledKey(document);
  if (doubled !== undefined) {
    return { ...found, value: undefined, fault: faultAt(doubled, "a key comes twice") };
  }
  try {
    return { ...found, value: document.toJS({ maxAliasCount }), fault: undefined };
  } catch (thrown) {
    return { ...found, value: undefined, fault: faultAt(offsetOf(document, []), firstLine(thrown)) };
  }
}

function offsetOf(document: Document, path: readonly (string | number)[]): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node: unknown = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  const { contents } = document;
  return (isNode(contents) ? contents.range?.[0] : undefined) ?? document.range?.[0] ?? 0;
}

/** Where the second of two equal keys stands. */
function findDoubledKey(document: Document): number | undefined {
  let doubled: number | undefined;
  visit(document, {
    Map(_key, map) {
      if (!isMap(map)) return undefined;
      const seen = new Set<unknown>();
      for (const { key } of map.items) {
        const name = isScalar(key) ? key.value : isAlias(key) ? key.source : key;
        if (seen.has(name)) {
          doubled = (isNode(key) ? key.range?.[0] : undefined) ?? 0;
          return visit.BREAK;
        }
        seen.add(name);
      }
      return undefined;
    },
  });
  return doubled;
}

function refused(part: DocumentText, message: string): ManifestDocument {
  const start = startOf(part);
  return {
    start,
    value: undefined,
    fault: { ...start, message },
    peek: () => undefined,
    locate: () => start,
  };
}

function startOf({ linesBefore }: DocumentText): Position {
  return { line: linesBefore + 1, column: 1 };
}

function firstLine(error: unknown): string {
  return error instanceof Error ? (error.message.split("\n", 1)[0] ?? "").slice(0, 200) : "unreadable";
}
