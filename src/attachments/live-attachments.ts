import { abortable } from "../foundation/abort.ts";
import { type HeldResource, heldResources } from "./held-resources.ts";
import type { BootClock, SandboxStore } from "./ports.ts";
import { describeSandbox, type Generation, isOlder, type SandboxKey } from "./sandbox.ts";
import type { AttachmentRecord, SandboxEntry } from "./sandbox-record.ts";

/** Which sandbox has something, and since when. */
export interface Holder {
  readonly containerId: string;
  readonly ifName: string;
  readonly generation: Generation;
}

/**
 * Who has which device and which address: all records of this boot, ADDs under way included, in memory. What lived
 * before a reboot holds nothing any more.
 */
export class LiveAttachments {
  readonly #clock: BootClock;
  /** By resource; nearly always one. */
  readonly #holders = new Map<string, readonly Holder[]>();
  readonly #keysOf = new Map<string, readonly string[]>();
  readonly #running = new Map<string, Set<Promise<void>>>();
  /** Entries written while `load` reads: what it has read of them may be older. */
  #written: Set<string> | undefined;
  #loading: Promise<void> = Promise.resolve();

  constructor(clock: BootClock) {
    this.#clock = clock;
  }

  /** Reads what earlier daemons recorded; `signal` ends it early. */
  async load(store: Pick<SandboxStore, "list">, signal?: AbortSignal): Promise<void> {
    const loading = this.#loadAll(store, signal);
    this.#loading = loading.catch(() => undefined);
    await loading;
  }

  /** Resolves when `load` has read what it can; at once before the call of it. */
  async whenLoaded(): Promise<void> {
    await this.#loading;
  }

  /** Replaces what was known of that entry. */
  note(entry: SandboxEntry): void {
    this.forget(entry);
    if (entry.state === "done" || entry.generation.bootId !== this.#clock.bootId) return;
    const { containerId, ifName, generation } = entry;
    this.#hold({ containerId, ifName, generation }, entry.attachments);
  }

  /** What one more attachment of that sandbox has, before it is written down. */
  learn({ containerId, ifName, generation }: Holder, attachment: AttachmentRecord): void {
    this.#hold({ containerId, ifName, generation }, [attachment]);
  }

  forget(key: SandboxKey): void {
    const name = describeSandbox(key);
    this.#written?.add(name);
    for (const held of this.#keysOf.get(name) ?? []) {
      const others = (this.#holders.get(held) ?? []).filter((holder) => describeSandbox(holder) !== name);
      if (others.length === 0) this.#holders.delete(held);
      else this.#holders.set(held, others);
    }
    this.#keysOf.delete(name);
  }

  /** Another sandbox that has it and began later; what is owed of the earlier one must leave it alone. */
  newerHolder(
    { key }: HeldResource,
    than: { readonly containerId: string; readonly generation: Generation },
  ): Holder | undefined {
    return this.#holders
      .get(key)
      ?.find(
        ({ containerId, generation }) =>
          containerId !== than.containerId && isOlder(than.generation, generation, this.#clock.bootId),
      );
  }

  /** Runs the ADD of one network, during which nobody can say yet which addresses it gets. */
  async attaching<T>(network: string, attach: () => Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const running = this.#running.get(network) ?? new Set();
    this.#running.set(network, running.add(promise));
    try {
      return await attach();
    } finally {
      running.delete(promise);
      if (running.size === 0) this.#running.delete(network);
      resolve();
    }
  }

  /** Resolves when the ADDs of the network that run now have ended, and so are noted or undone. */
  async whenAttached(network: string, signal: AbortSignal): Promise<void> {
    const running = this.#running.get(network);
    if (running !== undefined) await abortable(Promise.all(running), signal);
  }

  #hold(holder: Holder, attachments: readonly AttachmentRecord[]): void {
    const name = describeSandbox(holder);
    const known = this.#keysOf.get(name) ?? [];
    const keys = new Set(attachments.flatMap((own) => heldResources(own).map(({ key }) => key)));
    for (const key of known) keys.delete(key);
    if (keys.size === 0) return;
    this.#keysOf.set(name, [...known, ...keys]);
    for (const key of keys) this.#holders.set(key, [...(this.#holders.get(key) ?? []), holder]);
  }

  async #loadAll(store: Pick<SandboxStore, "list">, signal: AbortSignal | undefined): Promise<void> {
    const written = new Set(this.#keysOf.keys());
    this.#written = written;
    try {
      for await (const stored of store.list()) {
        if (signal?.aborted === true) return;
        if (stored.kind !== "entry" || written.has(describeSandbox(stored.entry))) continue;
        this.note(stored.entry);
      }
    } finally {
      this.#written = undefined;
    }
  }
}

/** A store that keeps `live` up to date with what is written. */
export class NotedSandboxStore implements SandboxStore {
  readonly #store: SandboxStore;
  readonly #live: LiveAttachments;

  constructor(store: SandboxStore, live: LiveAttachments) {
    this.#store = store;
    this.#live = live;
  }

  load(key: SandboxKey): ReturnType<SandboxStore["load"]> {
    return this.#store.load(key);
  }

  loadContainer(containerId: string): ReturnType<SandboxStore["loadContainer"]> {
    return this.#store.loadContainer(containerId);
  }

  async save(entry: SandboxEntry): Promise<void> {
    await this.#store.save(entry);
    this.#live.note(entry);
  }

  async remove(key: SandboxKey): Promise<void> {
    await this.#store.remove(key);
    this.#live.forget(key);
  }

  list(): ReturnType<SandboxStore["list"]> {
    return this.#store.list();
  }
}
