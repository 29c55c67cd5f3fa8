import { closeSync, constants, type Dirent, fstatSync, openSync, readdirSync, statSync } from "node:fs";
import { opendir } from "node:fs/promises";
import { join } from "node:path";
import { errnoCode } from "../foundation/passing-error.ts";
import { retry } from "../foundation/retry.ts";
import { closeFile, openFile, renameFile, unlinkFile, writeAll } from "./file-calls.ts";
import { isAbsent, isDiskFull } from "./file-errors.ts";
import { makeOneDirectory } from "./make-directory.ts";
import { type FileIdentity, identityOf } from "./read-bounded-file.ts";
import { discard } from "./replace-file.ts";
import { SharedSync } from "./shared-sync.ts";
import { storageFailure } from "./storage-failure.ts";
import { directoryFlags, syncDirectory } from "./sync-directory.ts";
import { nextTemporaryName } from "./temporary-name.ts";

/** Space that is kept back for what must be written when the disk is full. */
export interface Reserve {
  /** Frees it; a second call does nothing. Never rejects. */
  giveUp(): Promise<void>;
}

export interface WriteOptions {
  /** Where the disk is full: give up the reserve and try once more. */
  readonly mayUseReserve?: boolean;
}

/**
 * A directory of files that survive a power cut whole: old or new, never half. Its descriptor is kept open, which
 * saves two calls for each write. Made again (0700) if it is gone while its parent is there.
 */
export class DurableDirectory {
  readonly path: string;
  readonly #reserve: Reserve | undefined;
  readonly #synced = new SharedSync(() => this.#sync());
  #held: Promise<HeldDirectory> | undefined;

  constructor(path: string, reserve?: Reserve) {
    this.path = path;
    this.#reserve = reserve;
  }

  /**
   * Once this resolves, a crash or power cut leaves `name` with these bytes, mode 0600. If it rejects, the old file
   * stands, or the new one whole. Resolves with the new file's identity.
   * @throws {Failure} `storage-failed`
   */
  async write(name: string, data: Uint8Array, options: WriteOptions = {}): Promise<FileIdentity> {
    const write = () => this.#replace(name, data);
    try {
      const identity = await retry(write, { waitsMs: passingWaitsMs }).catch(async (error: unknown) => {
        if (!isDiskFull(error) || !options.mayUseReserve) throw error;
        await this.#reserve?.giveUp();
        return await write();
      });
      await this.#synced.run();
      return identity;
    } catch (error) {
      throw storageFailure("write", join(this.path, name), error);
    }
  }

  /**
   * Once this resolves, the file does not come back after a power cut. False if there was none.
   * @throws {Failure} `storage-failed`
   */
  async remove(name: string): Promise<boolean> {
    const file = join(this.path, name);
    try {
      await unlinkFile(file);
      await this.#synced.run();
      return true;
    } catch (error) {
      if (isAbsent(error)) return false;
      throw storageFailure("remove", file, error);
    }
  }

  /** Names as they come from the directory, without those of files in the making; none if it is gone. */
  async *names(): AsyncIterable<string> {
    for await (const entry of this.#entries()) if (!entry.name.startsWith(".")) yield entry.name;
  }

  /** The same, all at once. @throws {Failure} `storage-failed` */
  namesNow(): readonly string[] {
    try {
      return readdirSync(this.path).filter((name) => !name.startsWith("."));
    } catch (error) {
      if (isAbsent(error)) return [];
      throw storageFailure("list", this.path, error);
    }
  }

  /** What was made, renamed or removed in the directory until now is so after a power cut. */
  async sync(): Promise<void> {
    await this.#synced.run();
  }

  /** Closes the descriptor; the next write opens it again. */
  async close(): Promise<void> {
    const held = this.#held;
    this.#held = undefined;
    if (held === undefined) return;
    await held.then(
      ({ descriptor }) => closeSync(descriptor),
      () => undefined,
    );
  }

  async *#entries(): AsyncIterable<Dirent> {
    try {
      yield* await opendir(this.path, { bufferSize: 256 });
    } catch (error) {
      if (!isAbsent(error)) throw storageFailure("list", this.path, error);
    }
  }

  async #replace(name: string, data: Uint8Array): Promise<FileIdentity> {
    const temporary = join(this.path, nextTemporaryName(name));
    const descriptor = await this.#create(temporary);
    try {
      await writeAll(descriptor, data);
      await renameFile(temporary, join(this.path, name));
      // Of the descriptor: whatever stands under the name by now, this is the file that was written.
      return identityOf(fstatSync(descriptor, { bigint: true }));
    } catch (error) {
      await discard(temporary);
      throw error;
    } finally {
      // Nobody waits for it: the bytes are on disk, and closing a descriptor cannot lose them.
      closeFile(descriptor).catch(() => undefined);
    }
  }

  async #create(temporary: string): Promise<number> {
    await this.#hold();
    try {
      return await openFile(temporary, temporaryFlags, 0o600);
    } catch (error) {
      if (errnoCode(error) !== "ENOENT") throw error;
    }
    // The directory was removed while we held it.
    await this.close();
    await this.#hold();
    return await openFile(temporary, temporaryFlags, 0o600);
  }

  async #sync(): Promise<void> {
    const held = await this.#hold();
    await syncDirectory(held.descriptor);
    const found = statSync(this.path, { bigint: true });
    if (found.dev === held.device && found.ino === held.inode) return;
    // Somebody put another directory in its place: the sync went to the old one.
    await this.close();
    await syncDirectory((await this.#hold()).descriptor);
  }

  #hold(): Promise<HeldDirectory> {
    this.#held ??= openOrMake(this.path).catch((error: unknown) => {
      this.#held = undefined;
      throw error;
    });
    return this.#held;
  }
}

interface HeldDirectory {
  readonly descriptor: number;
  /** An inode number is not given away while a descriptor holds the inode, so both tell the directory for sure. */
  readonly device: bigint;
  readonly inode: bigint;
}

const passingWaitsMs = [5, 25, 100];
// O_DSYNC: the write call itself returns when the bytes are on disk, which saves the call that would sync them.
const temporaryFlags =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW | constants.O_DSYNC;

async function openOrMake(path: string): Promise<HeldDirectory> {
  try {
    return await openDirectory(path);
  } catch (error) {
    if (errnoCode(error) !== "ENOENT") throw error;
    await makeOneDirectory(path);
    return await openDirectory(path);
  }
}

async function openDirectory(path: string): Promise<HeldDirectory> {
  const descriptor = openSync(path, directoryFlags);
  const { dev, ino } = fstatSync(descriptor, { bigint: true });
  return { descriptor, device: dev, inode: ino };
}
