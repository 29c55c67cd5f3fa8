import type { Generation } from "../attachments/sandbox.ts";
import type { DeletionRecord } from "./deletion-record.ts";

/** Durable owed deletions, one file each (`deletions/<id>.json`). */
export interface DeletionStore {
  /** On disk when it resolves; the same id replaces. Rejects with a `storage-failed` failure. */
  save(record: DeletionRecord): Promise<void>;
  remove(id: string): Promise<void>;
  /**
   * Moves a dead letter to the archive: one line there is on disk before its file goes. Rejects with a
   * `storage-failed` failure, also where the archive is full; the file then stays.
   */
  archive(record: DeletionRecord): Promise<void>;
  /** All readable records, read once at start; unreadable ones are quarantined and counted. */
  list(): AsyncIterable<DeletionRecord>;
}

/** A DEL that no daemon took, as the shim wrote it. */
export interface SpooledDeletion {
  /** File name inside the spool directory. */
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  /** stdin of the shim, exact bytes as text. */
  readonly config: string;
  /** The shim's start. */
  readonly generation: Generation;
}

export interface SpoolSource {
  /** Entries that are there now, oldest first; unreadable ones are quarantined and counted, never thrown. */
  list(): Promise<readonly SpooledDeletion[]>;
  /** The same, those of one container only; cheap where there are none. */
  listOf(containerId: string): Promise<readonly SpooledDeletion[]>;
  /**
   * Once this resolves the entry will not come again. Only the entry that was listed goes: a repeat that a shim has put
   * in its place meanwhile stays; `generation` says for sure which one that is.
   */
  remove(name: string, generation?: Generation): Promise<void>;
  /** How many entries there are now, readable or not. */
  count(): Promise<number>;
  /** How often the entry was begun and never ended by `remove` or `letGo`: so many daemons died meanwhile. */
  crashesOf(entry: SpooledDeletion): Promise<number>;
  /** Notes durably that the entry is being worked on. Rejects with a `storage-failed` failure. */
  begin(entry: SpooledDeletion): Promise<void>;
  /** The entry could not be settled, and stays; nobody died. */
  letGo(entry: SpooledDeletion): Promise<void>;
  /** Calls `changed` when entries may have come; also covers a directory that is made later. */
  watch(changed: () => void): Promise<{ stop(): Promise<void> }>;
}

/** `strict/<containerID>`: tells the shim that a daemon's absence must not become a success for this sandbox. */
export interface StrictMarkers {
  set(containerId: string): Promise<void>;
  /** Removes the marker and the shim's stamp beside it. */
  clear(containerId: string): Promise<void>;
}
