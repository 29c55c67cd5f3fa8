import { createHash } from "node:crypto";
import { copyFile, link, readFile, rename, rm, stat, writeFile } from "node:fs/promises";

let counter = 0;

function temporaryName(file) {
  return `${file}.${process.pid}.${counter++}.tmp`;
}

/** Puts `content` at `file` by rename, because a daemon may run from there; nothing happens where it is the same. */
export async function replaceFile(file, content, mode) {
  const present = await readFile(file).catch(() => undefined);
  const wanted = Buffer.from(content);
  if (present?.equals(wanted) && ((await stat(file)).mode & 0o777) === mode) return;
  const temporary = temporaryName(file);
  await writeFile(temporary, wanted, { mode });
  await rename(temporary, file);
}

/** As `replaceFile`, from another file; a hard link where the file system allows one and `mayLink` is set. */
export async function replaceFileWithCopy(source, file, { mayLink = false } = {}) {
  if (await isSame(source, file)) return;
  const temporary = temporaryName(file);
  const linked =
    mayLink &&
    (await link(source, temporary).then(
      () => true,
      () => false,
    ));
  if (!linked) await copyFile(source, temporary);
  await rename(temporary, file);
  // rename() of two links to one inode does nothing and leaves both names.
  await rm(temporary, { force: true });
}

async function isSame(source, file) {
  const [a, b] = await Promise.all([stat(source), stat(file).catch(() => undefined)]);
  if (b === undefined || a.size !== b.size) return false;
  return (a.dev === b.dev && a.ino === b.ino) || (await digest(source)) === (await digest(file));
}

async function digest(file) {
  return createHash("sha256")
    .update(await readFile(file))
    .digest("hex");
}
