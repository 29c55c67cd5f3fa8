import { readdirSync, statSync } from "node:fs";
import { errnoCode } from "../foundation/passing-error.ts";
import { type ManifestFile, readManifestFile } from "./manifest-file.ts";
import { indexManifests, type ManifestIndex } from "./manifest-index.ts";

/** One look at the directory. */
export interface ManifestState {
  readonly index: ManifestIndex;
  readonly ignoredKinds: readonly string[];
  readonly files: number;
  /** Device and inode; `undefined`: there is no such directory. */
  readonly identity: string | undefined;
  /** Why nothing can be told now; the index is then the one of the last look that could. */
  readonly gap: string | undefined;
}

/** Files in a directory beyond which the rest is a problem: each of them is looked at in each look-up. */
const maxFiles = 5000;
const filesAtOnce = 32;

/** The manifests of one directory, read again as far as they have changed. */
export class ManifestDirectory {
  readonly #path: string;
  #files: ReadonlyMap<string, ManifestFile> = new Map();
  #state: ManifestState;
  /** The last look that was asked for; they run one after another. */
  #last: Promise<unknown> = Promise.resolve();
  /** A look that has not begun yet. */
  #next: Promise<ManifestState> | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#state = {
      index: indexManifests(path, []),
      ignoredKinds: [],
      files: 0,
      identity: undefined,
      gap: "not read yet",
    };
  }

  /** The last look's. */
  get state(): ManifestState {
    return this.#state;
  }

  /**
   * What is there now: everything that was written before the call is in it. Never rejects. A look that is under way
   * may have passed a file before it was written, so whoever comes meanwhile shares the next one.
   */
  look(): Promise<ManifestState> {
    if (this.#next !== undefined) return this.#next;
    const turn = this.#last.then(() => {
      this.#next = undefined;
      return this.#scan();
    });
    this.#next = turn;
    this.#last = turn;
    return turn;
  }

  async #scan(): Promise<ManifestState> {
    try {
      // An ADD waits for this, several times: calls into the kernel's cache, not hops to the thread pool.
      const { dev, ino } = statSync(this.#path, { bigint: true });
      const names = this.#listNames();
      const known = await this.#readAll([...this.#files.keys()]);
      const listed = names.slice(0, maxFiles);
      const added = await this.#readAll(listed.filter((name) => !known.has(name)));
      this.#adopt(listed, new Map([...known, ...added]));
      this.#state = { ...this.#state, identity: `${dev}:${ino}`, gap: describeSurplus(names.length) };
    } catch (error) {
      const code = errnoCode(error);
      const identity = code === "ENOENT" || code === "ENOTDIR" ? undefined : this.#state.identity;
      this.#state = { ...this.#state, identity, gap: describeFault(code) };
    }
    return this.#state;
  }

  /** Names that begin with a dot are files under way, or the insides of a mounted ConfigMap. */
  #listNames(): readonly string[] {
    const names = readdirSync(this.#path);
    return names.filter((name) => /^[^.].*\.(?:yaml|yml|json)$/.test(name)).toSorted();
  }

  async #readAll(names: readonly string[]): Promise<ReadonlyMap<string, ManifestFile>> {
    const files = new Map<string, ManifestFile>();
    for (let at = 0; at < names.length; at += filesAtOnce) {
      const batch = names.slice(at, at + filesAtOnce).map(async (name) => await this.#readOne(name));
      for (const file of await Promise.all(batch)) if (file !== undefined) files.set(file.name, file);
    }
    return files;
  }

  async #readOne(name: string): Promise<ManifestFile | undefined> {
    return await readManifestFile(`${this.#path}/${name}`, name, this.#files.get(name));
  }

  #adopt(names: readonly string[], read: ReadonlyMap<string, ManifestFile>): void {
    const inOrder = names.map((name) => read.get(name)).filter((file) => file !== undefined);
    const files = new Map(inOrder.map((file) => [file.name, file]));
    if (!isChanged(this.#files, files)) return;
    this.#files = files;
    this.#state = {
      ...this.#state,
      index: indexManifests(this.#path, inOrder),
      ignoredKinds: [...new Set(inOrder.flatMap((file) => file.ignoredKinds))],
      files: files.size,
    };
  }
}

function isChanged(
  before: ReadonlyMap<string, ManifestFile>,
  after: ReadonlyMap<string, ManifestFile>,
): boolean {
  if (before.size !== after.size) return true;
  for (const [name, file] of after) if (before.get(name) !== file) return true;
  return false;
}

function describeSurplus(files: number): string | undefined {
  return files > maxFiles ? `holds ${files} files, more than ${maxFiles}` : undefined;
}

function describeFault(code: string | undefined): string {
  if (code === "ENOENT") return "does not exist yet";
  return code === "ENOTDIR" ? "is no directory" : `cannot be read: ${code ?? "unknown error"}`;
}
