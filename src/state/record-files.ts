import { join } from "node:path";
import { Failure } from "../attachments/failure.ts";
import { KeyedQueue } from "../foundation/keyed-queue.ts";
import { errnoCode } from "../foundation/passing-error.ts";
import { ShapeError } from "./decode.ts";
import type { DurableDirectory, WriteOptions } from "./durable-directory.ts";
import { open, seal } from "./envelope.ts";
import type { CorruptKind, Quarantine } from "./quarantine.ts";
import { type FileIdentity, maxFileBytes, readIfChanged } from "./read-bounded-file.ts";

export interface RecordFileOptions<T> {
  readonly directory: DurableDirectory;
  readonly quarantine: Quarantine;
  /** `kind` of the envelope. */
  readonly kind: string;
  readonly corruptKind: CorruptKind;
  /** @throws {ShapeError} for a body that is none. `fileName` is where it was found. */
  readonly decode: (body: unknown, fileName: string) => T;
}

/** What a file held. `unreadable` has been reported, and moved to `quarantined` where that was possible. */
export type StoredRecord<T> =
  | { readonly kind: "record"; readonly record: T; readonly identity: FileIdentity }
  | { readonly kind: "missing" }
  | { readonly kind: "unreadable"; readonly reason: string; readonly quarantined: string };

/** A request reads its record two or three times: what was read or written last is remembered, while its file stays. */
class RecentRecords<T> {
  readonly #byName = new Map<string, RecentRecord<T>>();

  of(name: string): RecentRecord<T> | undefined {
    return this.#byName.get(name);
  }

  remember(name: string, identity: FileIdentity, record: T | undefined): void {
    this.forget(name);
    if (record === undefined) return;
    this.#byName.set(name, { identity, record: deepFreeze(record) });
    if (this.#byName.size <= maxRecent) return;
    const [oldest] = this.#byName.keys();
    if (oldest !== undefined) this.forget(oldest);
  }

  forget(name: string): void {
    this.#byName.delete(name);
  }
}

const maxRecent = 64;

interface RecentRecord<T> {
  readonly identity: FileIdentity;
  /** Frozen to its last list: all who read it share it. */
  readonly record: T;
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) deepFreeze(part);
  return value;
}

/** Sealed records of one kind, one a file. */
export class RecordFiles<T> {
  readonly #options: RecordFileOptions<T>;
  /** A file is judged and moved to quarantine in one turn, so that a good one written meanwhile stays. */
  readonly #turns = new KeyedQueue();
  readonly #recent = new RecentRecords<T>();

  constructor(options: RecordFileOptions<T>) {
    this.#options = options;
  }

  /**
   * Never rejects over what stands in the file.
   * @throws {Failure} `storage-failed`: only for an error that says nothing of the file and did not pass
   */
  async read(name: string): Promise<StoredRecord<T>> {
    const found = await this.#judge(name);
    if (found.kind !== "unreadable") return found;
    return await this.#turns.run(name, async () => {
      const again = await this.#judge(name);
      if (again.kind !== "unreadable") return again;
      return { ...again, quarantined: await this.#quarantine(name, again.reason) };
    });
  }

  /** On disk when it resolves. @throws {Failure} `storage-failed` */
  async write(name: string, body: object, options?: WriteOptions): Promise<void> {
    const bytes = seal(this.#options.kind, body);
    if (bytes.length > maxFileBytes) {
      throw new Failure("storage-failed", `the record ${name} would be larger than ${maxFileBytes} bytes`);
    }
    await this.#turns.run(name, async () => {
      // Forgotten before the write: if that fails, nobody knows which of the two files is on disk.
      this.#recent.forget(name);
      const identity = await this.#replace(name, bytes, options);
      this.#recent.remember(name, identity, this.#decoded(body, name));
    });
  }

  /** As a reader will see it; what it would refuse is left for it to say. */
  #decoded(body: object, name: string): T | undefined {
    try {
      return this.#options.decode(body, name);
    } catch (error) {
      if (error instanceof ShapeError) return undefined;
      throw error;
    }
  }

  /** Gone for good when it resolves. @throws {Failure} `storage-failed` */
  async remove(name: string): Promise<void> {
    await this.#turns.run(name, () => this.#options.directory.remove(name));
  }

  /** File names of records, readable or not, as the directory gives them. */
  async *names(): AsyncIterable<string> {
    for await (const name of this.#options.directory.names()) if (name.endsWith(".json")) yield name;
  }

  /** The same, all at once: for a directory that is empty nearly always. */
  namesNow(): readonly string[] {
    return this.#options.directory.namesNow().filter((name) => name.endsWith(".json"));
  }

  async #replace(name: string, bytes: Uint8Array, options?: WriteOptions): Promise<FileIdentity> {
    const { directory } = this.#options;
    try {
      return await directory.write(name, bytes, options);
    } catch (error) {
      if (errnoCode(error) !== "EISDIR") throw error;
      await this.#quarantine(name, "a directory");
      return await directory.write(name, bytes, options);
    }
  }

  async #quarantine(name: string, reason: string): Promise<string> {
    const { directory, quarantine, corruptKind } = this.#options;
    return await quarantine.take(join(directory.path, name), corruptKind, reason);
  }

  async #judge(
    name: string,
  ): Promise<Exclude<StoredRecord<T>, { kind: "unreadable" }> | { kind: "unreadable"; reason: string }> {
    const path = join(this.#options.directory.path, name);
    const known = this.#recent.of(name);
    const content = await readIfChanged(path, known?.identity);
    if (content.kind === "unchanged")
      return known === undefined ? { kind: "missing" } : { kind: "record", ...known };
    if (content.kind !== "bytes") return content;
    const opened = open(this.#options.kind, content.bytes);
    if (opened.kind === "unreadable") return opened;
    try {
      const record = this.#options.decode(opened.body, name);
      this.#recent.remember(name, content.identity, record);
      return { kind: "record", record, identity: content.identity };
    } catch (error) {
      if (error instanceof ShapeError) return { kind: "unreadable", reason: error.message };
      throw error;
    }
  }
}
