import { closeSync, constants, fstatSync, mkdirSync, openSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { backupName, keepBackups, type Rotation } from "./log-backups.ts";
import { type LineSink, writeLine } from "./write-line.ts";

const reopenAfterMs = 5000;
const megabyte = 1024 * 1024;

/**
 * A log file of mode 0600 that is renamed away when it is full. Where it cannot be opened or written, lines are
 * refused and it is tried again every 5 s.
 */
export class RotatingFile implements LineSink {
  readonly #file: string;
  readonly #rotation: Rotation;
  #fd: number | undefined;
  #size = 0;
  #retryAt = 0;
  #tidying: Promise<unknown> = Promise.resolve();

  constructor(file: string, rotation: Rotation) {
    this.#file = file;
    this.#rotation = rotation;
  }

  write(line: string): boolean {
    const length = Buffer.byteLength(line);
    if (this.#size > 0 && this.#size + length > this.#rotation.maxSizeMb * megabyte) this.#rotate();
    const fd = this.#fd ?? this.#open();
    if (fd === undefined) return false;
    if (writeLine(fd, line)) {
      this.#size += length;
      return true;
    }
    this.#close();
    this.#retryAt = performance.now() + reopenAfterMs;
    return false;
  }

  /** Waits for what rotation still does in the background. */
  async stop(): Promise<void> {
    this.#close();
    await this.#tidying;
  }

  #open(): number | undefined {
    if (performance.now() < this.#retryAt) return undefined;
    try {
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o755 });
      // O_NONBLOCK: a FIFO in the file's place must not stop the daemon.
      const { O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK } = constants;
      const fd = openSync(this.#file, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, 0o600);
      this.#size = fstatSync(fd).size;
      this.#fd = fd;
      return fd;
    } catch {
      this.#retryAt = performance.now() + reopenAfterMs;
      return undefined;
    }
  }

  #rotate(): void {
    this.#close();
    this.#size = 0;
    const backup = backupName(this.#file, new Date());
    try {
      renameSync(this.#file, backup);
    } catch {
      // The file is gone, or its directory is read-only: what is opened next says which.
      return;
    }
    this.#tidying = this.#tidying.then(() => keepBackups(this.#file, this.#rotation));
  }

  #close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}
