import { hash as digest } from "node:crypto";

/** What a sealed file holds, once it is known to be whole. */
export type Opened =
  | { readonly kind: "body"; readonly version: number; readonly body: unknown }
  | { readonly kind: "unreadable"; readonly reason: string };

const ownVersion = 1;

/** The bytes of a durable file (docs/wire.md "Durable files"): one line that says what it is and proves that it is whole. */
export function seal(kind: string, body: object): Buffer {
  const bytes = Buffer.from(JSON.stringify(body));
  const head = `{"kind":"${kind}","version":${ownVersion},"sha256":"${sha256(bytes)}","body":`;
  return Buffer.concat([Buffer.from(head), bytes, tail]);
}

/**
 * Opens what `seal` or the shim made. The order of keys and the form of the head are fixed, because the hash is of the
 * body's bytes as they stand; a file that was formatted anew by hand does not open. A newer version opens too: it is
 * for its reader to see how far it knows the body.
 */
export function open(kind: string, file: Buffer): Opened {
  const head = headPattern.exec(file.toString("latin1", 0, maxHeadLength));
  if (head === null) return { kind: "unreadable", reason: "not an envelope" };
  const [text, foundKind, version, hash] = head;
  if (foundKind !== kind) return { kind: "unreadable", reason: "of another kind" };
  const end = file.length - (file.at(-1) === newline ? 2 : 1);
  if (file[end] !== closingBrace) return { kind: "unreadable", reason: "cut off" };
  const body = file.subarray(text.length, end);
  if (sha256(body) !== hash) return { kind: "unreadable", reason: "does not match its hash" };
  const parsed = parse(body);
  return parsed === undefined
    ? { kind: "unreadable", reason: "not JSON" }
    : { kind: "body", version: Number(version), body: parsed.value };
}

const tail = Buffer.from("}\n");
const headPattern = /^\{"kind":"([a-z.]{1,32})","version":([1-9]\d{0,8}),"sha256":"([0-9a-f]{64})","body":/;
const maxHeadLength = 192;
const newline = 0x0a;
const closingBrace = 0x7d;

function parse(body: Buffer): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(utf8.decode(body)) };
  } catch {
    return undefined;
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function sha256(bytes: Buffer): string {
  return digest("sha256", bytes, "hex");
}
