import { randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * Replaces `file` (mode 0600) as a whole. Once this resolves, a crash or power cut leaves the new text; before, the
 * old or the new one, never a part. What a crash leaves besides is a hidden file in the same directory.
 * @throws {NodeJS.ErrnoException} with the old file untouched
 */
export async function writeFileDurably(file: string, text: string): Promise<void> {
  const directory = dirname(file);
  const temporary = join(directory, `.${randomUUID()}.tmp`);
  try {
    await writeAndSync(temporary, text);
    await rename(temporary, file);
  } catch (error) {
    // What made the write fail matters more than what is left by it.
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncDirectory(directory);
}

async function writeAndSync(file: string, text: string): Promise<void> {
  const handle = await open(file, "wx", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes the names in `directory` durable. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
