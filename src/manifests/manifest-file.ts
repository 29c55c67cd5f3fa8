import { constants, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { errnoCode } from "../foundation/passing-error.ts";
import {
  type BrokenObject,
  type ManifestObject,
  objectKey,
  type ParsedManifest,
  type Position,
} from "./manifest-object.ts";
import { parseManifest } from "./parse-manifest.ts";

/** What is known of one file. Immutable: a change makes a new one. */
export interface ManifestFile {
  readonly name: string;
  /** What its inode looked like when it was read; `undefined`: it must be read again next time. */
  readonly signature: string | undefined;
  /** Its good objects, and those of earlier content that a mistake has taken the place of. */
  readonly objects: readonly ManifestObject[];
  /** Objects that are there, but never were good. */
  readonly broken: readonly BrokenObject[];
  readonly problems: readonly (Position & { readonly message: string })[];
  readonly ignoredKinds: readonly string[];
}

const maxBytes = 4 * 1024 * 1024;
/** A file that was written this shortly before it was read may be written again without a new time. */
const settleMs = 100;

/**
 * The file's present content; `previous` where it has not changed, `undefined` where it is gone. What cannot be read
 * becomes a problem, never an exception.
 */
export async function readManifestFile(
  path: string,
  name: string,
  previous: ManifestFile | undefined,
): Promise<ManifestFile | undefined> {
  try {
    const signature = signatureOf(path);
    if (previous !== undefined && previous.signature === signature && signature !== undefined)
      return previous;
    const text = await readText(path);
    return withEarlierObjects(name, signature, await parseText(text), previous);
  } catch (error) {
    const code = errnoCode(error);
    if (code === "ENOENT") return undefined;
    return withEarlierObjects(
      name,
      undefined,
      refuse(`cannot be read: ${code ?? "unknown error"}`),
      previous,
    );
  }
}

function signatureOf(path: string): string | undefined {
  // Asked for each file at each look-up: a hop to the thread pool would cost ten times as much as the call itself.
  const { dev, ino, size, mtimeNs, ctimeNs, mtimeMs } = statSync(path, { bigint: true });
  // A clock that was set back makes files of the future: they are read each time, which is slow but right.
  const isSettled = Date.now() - Number(mtimeMs) > settleMs;
  return isSettled ? [dev, ino, size, mtimeNs, ctimeNs].join() : undefined;
}

type FileText = { readonly text: string } | { readonly refusal: string };

async function readText(path: string): Promise<FileText> {
  // Without O_NONBLOCK a FIFO would hold a thread of the pool for ever.
  await using handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const stats = await handle.stat();
  if (!stats.isFile()) return { refusal: "is no regular file" };
  if (stats.size > maxBytes) return { refusal: "is larger than 4 MiB" };
  const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(stats.size), 0, stats.size, 0);
  return { text: buffer.toString("utf8", 0, bytesRead) };
}

async function parseText(file: FileText): Promise<ParsedManifest> {
  return "text" in file ? await parseManifest(file.text) : refuse(file.refusal);
}

function refuse(message: string): ParsedManifest {
  return { objects: [], broken: [], problems: [{ line: 1, column: 1, message }], ignoredKinds: [] };
}

/**
 * As an API server keeps an object whose new form it refuses, what a file held before stays while the file has
 * mistakes and does not hold it in a better form. Each such object is a problem of its own.
 */
function withEarlierObjects(
  name: string,
  signature: string | undefined,
  parsed: ParsedManifest,
  previous: ManifestFile | undefined,
): ManifestFile {
  const { problems, ignoredKinds } = parsed;
  const present = new Set(parsed.objects.map((object) => objectKey(object.name)));
  const earlier = problems.length === 0 ? [] : (previous?.objects ?? []);
  const kept = earlier.filter((object) => !present.has(objectKey(object.name)));
  const isKept = new Set(kept.map((object) => objectKey(object.name)));
  const stale = kept.map(({ line, column, name: kind }) => ({
    line,
    column,
    message: `${objectKey(kind)} is used in the form that it had before this mistake`,
  }));
  return {
    name,
    signature,
    objects: [...kept, ...parsed.objects],
    broken: parsed.broken.filter(
      (object) => !isKept.has(objectKey(object.name)) && !present.has(objectKey(object.name)),
    ),
    problems: [...problems, ...stale],
    ignoredKinds,
  };
}
