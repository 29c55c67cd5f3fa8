import { createReadStream, createWriteStream } from "node:fs";
import { readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";

/** Upstream's `logOptions`. */
export interface Rotation {
  readonly maxSizeMb: number;
  /** 0: for ever. */
  readonly maxAgeDays: number;
  /** 0: all. */
  readonly maxBackups: number;
  readonly compress: boolean;
}

/** `multus.log` becomes `multus-2026-01-02T03-04-05.678.log`, as upstream's are named: their order is their age. */
export function backupName(file: string, at: Date): string {
  const { stem, extension } = split(file);
  const time = at.toISOString().replaceAll(":", "-").replace("Z", "");
  return join(dirname(file), `${stem}-${time}${extension}`);
}

/**
 * Compresses what is not yet, and removes the oldest rotated files of `file`. Best effort: what could not be done
 * is done after the next rotation. Never rejects.
 */
export async function keepBackups(file: string, rotation: Rotation): Promise<void> {
  try {
    const { kept, surplus } = await sortBackups(file, rotation);
    for (const name of surplus) await rm(join(dirname(file), name), { force: true });
    if (!rotation.compress) return;
    for (const name of kept.filter((backup) => !backup.endsWith(".gz")))
      await compress(join(dirname(file), name));
  } catch {
    // A full or read-only disk: the log itself goes on, and the next rotation tries again.
  }
}

async function sortBackups(file: string, { maxAgeDays, maxBackups }: Rotation) {
  const { stem, extension } = split(file);
  const names = (await readdir(dirname(file))).filter((name) => {
    const rest = name.startsWith(`${stem}-`) ? name.slice(stem.length + 1) : "";
    return (
      /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}/.test(rest) && rest.replace(/\.gz$/, "").endsWith(extension)
    );
  });
  const newestFirst = names.toSorted().toReversed();
  const oldest =
    maxAgeDays === 0 ? "" : basename(backupName(file, new Date(Date.now() - maxAgeDays * 86_400_000)));
  const isKept = (name: string, index: number) => name >= oldest && (maxBackups === 0 || index < maxBackups);
  return {
    kept: newestFirst.filter(isKept),
    surplus: newestFirst.filter((name, index) => !isKept(name, index)),
  };
}

async function compress(file: string): Promise<void> {
  const temporary = join(dirname(file), `.${basename(file)}.gz.tmp`);
  try {
    await pipeline(createReadStream(file), createGzip(), createWriteStream(temporary, { mode: 0o600 }));
    await rename(temporary, `${file}.gz`);
    await rm(file, { force: true });
  } finally {
    await rm(temporary, { force: true });
  }
}

function split(file: string): { readonly stem: string; readonly extension: string } {
  const extension = extname(file);
  return { stem: basename(file, extension), extension };
}
