import { lstatSync, unlinkSync } from "node:fs";

/** What became of our socket's place in the directory. */
export type SocketLoss = "removed" | "replaced";

interface FileIdentity {
  readonly dev: bigint;
  readonly ino: bigint;
}

const pollMs = 150;

/**
 * A socket file that this process put in its place, told from every other by device and inode: the kernel keeps the
 * inode as long as the socket is open, so that no other file can have its number.
 */
export class OwnedSocket {
  readonly path: string;
  readonly #identity: FileIdentity;
  #timer: NodeJS.Timeout | undefined;

  private constructor(path: string, identity: FileIdentity) {
    this.path = path;
    this.#identity = identity;
  }

  /** `identityPath` is where the socket can be looked at before it has been put at `path`. */
  static of(path: string, identityPath: string): OwnedSocket {
    return new OwnedSocket(path, lstatSync(identityPath, { bigint: true }));
  }

  /** `undefined` as long as the file at `path` is this socket. An `lstat` of a cached name takes microseconds. */
  findLoss(): SocketLoss | undefined {
    const found = lstatSync(this.path, { bigint: true, throwIfNoEntry: false });
    if (found === undefined) return "removed";
    return found.dev === this.#identity.dev && found.ino === this.#identity.ino ? undefined : "replaced";
  }

  /**
   * Calls `onLost` once, within about 200 ms of another daemon's taking the place (`replaced`) or of the file's removal
   * (`removed`). Polled: a watch of the directory would be lost with the directory, and can be refused.
   */
  watch(onLost: (loss: SocketLoss) => void): void {
    this.stopWatching();
    this.#timer = setInterval(() => {
      const loss = this.#findLossNow();
      if (loss === undefined) return;
      this.stopWatching();
      onLost(loss);
    }, pollMs);
    this.#timer.unref();
  }

  /** The next look tells whether an error (EIO) was more than that. */
  #findLossNow(): SocketLoss | undefined {
    try {
      return this.findLoss();
    } catch {
      return undefined;
    }
  }

  stopWatching(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /**
   * Takes the file away, unless it is no longer ours. In one go, so that a successor has no time to come in between.
   * Call before the socket is closed: then its inode number may be given away.
   */
  remove(): void {
    this.stopWatching();
    if (this.findLoss() === undefined) unlinkSync(this.path);
  }
}
