import type { CachedRecord, CacheListing, CacheRecord, ResultCache } from "../../src/cni/index.ts";

/** libcni's result cache in memory. */
export class FakeResultCache implements ResultCache {
  readonly #records = new Map<string, CacheRecord>();
  readonly #corrupt = new Map<string, string>();
  #writeFailure: Error | undefined;

  failWrites(failure: Error): void {
    this.#writeFailure = failure;
  }

  /** Puts a damaged file where this attachment's is. */
  damage(networkName: string, containerId: string, ifName: string): void {
    const file = fileOf(networkName, containerId, ifName);
    this.#records.delete(file);
    this.#corrupt.set(file, "empty file");
  }

  files(): readonly string[] {
    return [...this.#records.keys(), ...this.#corrupt.keys()].sort();
  }

  async write(record: CacheRecord): Promise<void> {
    if (this.#writeFailure !== undefined) throw this.#writeFailure;
    const file = fileOf(record.networkName, record.containerId, record.ifName);
    this.#corrupt.delete(file);
    this.#records.set(file, structuredClone(record));
  }

  async read(networkName: string, containerId: string, ifName: string): Promise<CachedRecord> {
    const file = fileOf(networkName, containerId, ifName);
    const reason = this.#corrupt.get(file);
    if (reason !== undefined) return { kind: "corrupt", reason, file };
    const record = this.#records.get(file);
    return record === undefined ? { kind: "missing" } : { kind: "usable", record: structuredClone(record) };
  }

  async remove(networkName: string, containerId: string, ifName: string): Promise<void> {
    const file = fileOf(networkName, containerId, ifName);
    this.#records.delete(file);
    this.#corrupt.delete(file);
  }

  async discard(networkName: string, containerId: string, ifName: string): Promise<void> {
    await this.remove(networkName, containerId, ifName);
  }

  async list(containerId?: string): Promise<CacheListing> {
    const isWanted = (file: string) => containerId === undefined || file.includes(`-${containerId}-`);
    const records = [...this.#records].filter(([file]) => isWanted(file)).map(([, record]) => record);
    const corrupt = [...this.#corrupt].filter(([file]) => isWanted(file));
    return {
      records: structuredClone(records),
      corrupt: corrupt.map(([file, reason]) => ({ file, reason })),
    };
  }
}

function fileOf(networkName: string, containerId: string, ifName: string): string {
  return `${networkName}-${containerId}-${ifName}`;
}
