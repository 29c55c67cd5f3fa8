import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { errnoCode } from "../foundation/passing-error.ts";
import { buildDaemonConfig } from "./build-daemon-config.ts";
import { checkDaemonConfig } from "./check-daemon-config.ts";
import { ConfigError, wholeFile } from "./config-problem.ts";
import type { DaemonConfig } from "./daemon-config.ts";
import { selectKnownKeys } from "./known-keys.ts";
import { parseConfigText } from "./parse-config-text.ts";

/**
 * Reads the daemon's configuration: a whole, valid, frozen snapshot, or nothing.
 * @throws {ConfigError} that names every bad path at once; also for a file that cannot be read
 */
export async function loadDaemonConfig(file: string): Promise<DaemonConfig> {
  return parseDaemonConfig(await readConfigText(file), file);
}

/**
 * The same for a text that is at hand.
 * @param file its name in the error
 * @throws {ConfigError}
 */
export function parseDaemonConfig(text: string, file: string): DaemonConfig {
  const parsed = parseConfigText(text);
  if ("problem" in parsed) throw new ConfigError(file, [parsed.problem]);
  const known = selectKnownKeys(parsed.value);
  const checked = checkDaemonConfig(known.value);
  if ("problems" in checked) throw new ConfigError(file, checked.problems);
  return buildDaemonConfig(checked.file, text, known.warnings);
}

const maxBytes = 1024 * 1024;

/**
 * The file's text, at most 1 MiB of it. Reads by one descriptor, so that a file that is replaced meanwhile is seen as
 * one of the two.
 * @throws {ConfigError}
 */
export async function readConfigText(file: string): Promise<string> {
  try {
    // Without O_NONBLOCK a FIFO in the file's place would hold a thread of the pool for ever.
    await using handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = await handle.stat();
    if (!stats.isFile()) throw new ConfigError(file, [{ path: wholeFile, message: "is no regular file" }]);
    const buffer = Buffer.allocUnsafe(maxBytes + 1);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
      if (bytesRead === 0) return buffer.toString("utf8", 0, length);
      length += bytesRead;
    }
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const message = `cannot be read: ${errnoCode(error) ?? "unknown error"}`;
    throw new ConfigError(file, [{ path: wholeFile, message }], error);
  }
  throw new ConfigError(file, [{ path: wholeFile, message: "is larger than 1 MiB" }]);
}
