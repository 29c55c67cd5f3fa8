import { type Generation, isOlder } from "../attachments/sandbox.ts";
import type { SpooledDeletion, SpoolSource } from "../deletions/ports.ts";
import { spooledDeletion } from "./decode-spool.ts";
import { DirectoryWatch } from "./directory-watch.ts";
import type { DurableDirectory } from "./durable-directory.ts";
import type { Quarantine } from "./quarantine.ts";
import { type FileIdentity, isSameFile } from "./read-bounded-file.ts";
import { RecordFiles } from "./record-files.ts";
import { SpoolTries } from "./spool-tries.ts";

export interface SpoolOptions {
  readonly directory: DurableDirectory;
  readonly quarantine: Quarantine;
  /** The present boot: entries of another one are older. */
  readonly bootId: string;
  /** Gets what could not be read just now and is tried again at the next look. */
  readonly onTrouble: (error: unknown) => void;
  readonly rescanMs?: number;
  /** How many entries `list` gives at once, so that a spool of any size fits into memory. */
  readonly maxListed?: number;
}

/** The directory where shims put DELs that no daemon took. Their writers are other processes. */
export class SpoolDirectory implements SpoolSource {
  readonly #options: SpoolOptions;
  readonly #files: RecordFiles<SpooledDeletion>;
  readonly #tries: SpoolTries;
  /** The very file that was listed under a name: a shim may have replaced it by the time that one is settled. */
  readonly #listed = new Map<string, FileIdentity>();

  constructor(options: SpoolOptions) {
    this.#options = options;
    this.#tries = new SpoolTries(options.directory);
    this.#files = new RecordFiles({
      directory: options.directory,
      quarantine: options.quarantine,
      kind: "multusd.spool",
      corruptKind: "spool",
      decode: (body, name) => ({ name, ...spooledDeletion(body, "") }),
    });
  }

  /**
   * At most `maxListed` entries; the rest comes once these are removed.
   * Never rejects: what could not be looked at comes at the next look.
   */
  async list(): Promise<readonly SpooledDeletion[]> {
    const { maxListed = 1000 } = this.#options;
    const entries: SpooledDeletion[] = [];
    const gone = new Set(this.#listed.keys());
    try {
      for await (const name of this.#files.names()) {
        const entry = await this.#read(name);
        if (entry === undefined) continue;
        gone.delete(name);
        entries.push(entry);
        if (entries.length >= maxListed) break;
      }
      if (entries.length < maxListed) for (const name of gone) this.#listed.delete(name);
    } catch (error) {
      this.#options.onTrouble(error);
    }
    return entries.sort((left, right) => this.#compare(left.generation, right.generation));
  }

  async listOf(containerId: string): Promise<readonly SpooledDeletion[]> {
    const entries: SpooledDeletion[] = [];
    try {
      for (const name of this.#files.namesNow()) {
        // Names that begin with `@` are hashes, and do not tell their container.
        if (!name.startsWith(`${containerId}@`) && !name.startsWith("@")) continue;
        const entry = await this.#read(name);
        if (entry?.env["CNI_CONTAINERID"] === containerId) entries.push(entry);
      }
    } catch (error) {
      this.#options.onTrouble(error);
    }
    return entries.sort((left, right) => this.#compare(left.generation, right.generation));
  }

  /** An entry that was never listed stays: nobody can have settled it. */
  async remove(name: string, generation?: Generation): Promise<void> {
    const listed = this.#listed.get(name);
    this.#listed.delete(name);
    const found = await this.#files.read(name);
    if (found.kind !== "record") return;
    const isSettled =
      generation === undefined
        ? listed !== undefined && isSameFile(found.identity, listed)
        : isSameGeneration(found.record.generation, generation);
    if (isSettled) await this.#files.remove(name);
    await this.#tries.end(name);
  }

  async count(): Promise<number> {
    return this.#files.namesNow().length;
  }

  async crashesOf({ name, generation }: SpooledDeletion): Promise<number> {
    return await this.#tries.count(name, generation);
  }

  async begin({ name, generation }: SpooledDeletion): Promise<void> {
    await this.#tries.begin(name, generation);
  }

  async letGo({ name }: SpooledDeletion): Promise<void> {
    await this.#tries.end(name);
  }

  async watch(changed: () => void): Promise<{ stop(): Promise<void> }> {
    const { directory, onTrouble, rescanMs = 2000 } = this.#options;
    return new DirectoryWatch({ directory, changed, onTrouble, rescanMs });
  }

  async #read(name: string): Promise<SpooledDeletion | undefined> {
    const stored = await this.#files.read(name);
    if (stored.kind !== "record") return undefined;
    // The first one that was listed counts until it is removed: whoever settles that one must not remove another.
    if (!this.#listed.has(name)) this.#listed.set(name, stored.identity);
    return stored.record;
  }

  /** Earlier boots first, each for itself: two of them cannot be compared. */
  #compare(left: Generation, right: Generation): number {
    const { bootId } = this.#options;
    if (left.bootId !== right.bootId) {
      if (left.bootId === bootId) return 1;
      if (right.bootId === bootId) return -1;
      return left.bootId < right.bootId ? -1 : 1;
    }
    return isOlder(left, right, bootId) ? -1 : Number(isOlder(right, left, bootId));
  }
}

function isSameGeneration(left: Generation, right: Generation): boolean {
  return left.bootId === right.bootId && left.startNs === right.startNs;
}
