import type { Instruments, Log } from "../attachments/instruments.ts";
import type { CniInvocation } from "../attachments/invocation.ts";
import type { BootClock } from "../attachments/ports.ts";
import { isOlder } from "../attachments/sandbox.ts";
import type { DeleteSandbox } from "./delete-sandbox.ts";
import type { DeletionLedger } from "./deletion-ledger.ts";
import type { SpooledDeletion, SpoolSource } from "./ports.ts";
import { spooledDeadLetter } from "./spooled-dead-letter.ts";

export interface SpoolIntakeParts {
  readonly spool: SpoolSource;
  readonly deleteSandbox: DeleteSandbox;
  readonly ledger: DeletionLedger;
  /** More entries than that are reported. */
  readonly maxEntries: () => number;
  /** Reads a spooled request as a DEL; `undefined` if it names no container. */
  readonly toInvocation: (entry: SpooledDeletion) => CniInvocation | undefined;
  readonly instruments: Instruments;
  readonly clock: BootClock;
  readonly log: Log;
}

type SandboxRequest = Pick<CniInvocation, "containerId" | "generation">;

/** Entries worked on at once; the request slots bound the plugins as well. */
const concurrentEntries = 8;
/** So many daemons may end over an entry before it becomes a dead letter. */
const crashesUntilDead = 3;

/**
 * Takes in the DELs that shims wrote down while no daemon took them: at start, while running, and, of one sandbox,
 * before its next ADD. One path for all; the entry goes when its outcome is durable.
 */
export class SpoolIntake {
  readonly #parts: SpoolIntakeParts;
  readonly #busy = new Map<string, Promise<void>>();
  #watch: { stop(): Promise<void> } | undefined;
  #scanning: Promise<void> = Promise.resolve();
  #isScanQueued = false;
  #stopped = false;
  #isOverLimit = false;

  constructor(parts: SpoolIntakeParts) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    this.#watch = await this.#parts.spool.watch(() => this.#scan());
    this.#scan();
  }

  /** Entries that are being worked on are finished; the others stay for the next daemon. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#watch?.stop();
    await this.#scanning;
    await Promise.all(this.#busy.values());
  }

  /**
   * Takes in what the spool holds of a container that is about to be added. For a caller that has the sandbox's turn,
   * so not beside a scan. An entry that is newer than the ADD stays: it asks for what the ADD will make to be deleted.
   */
  async settleSandboxInTurn(adding: SandboxRequest): Promise<void> {
    const { spool, deleteSandbox, toInvocation, clock } = this.#parts;
    for (const entry of await spool.listOf(adding.containerId)) {
      const invocation = toInvocation(entry);
      if (invocation === undefined) continue;
      if (isOlder(adding.generation, entry.generation, clock.bootId)) continue;
      await this.#settle(entry, invocation, () => deleteSandbox.deleteSpooledInTurn(invocation));
    }
  }

  #scan(): void {
    if (this.#isScanQueued || this.#stopped) return;
    this.#isScanQueued = true;
    this.#scanning = this.#scanning.then(async () => {
      this.#isScanQueued = false;
      try {
        await this.#takeAll();
      } catch (err) {
        this.#parts.log.error({ err }, "spool could not be read; it is looked at again");
      }
    });
  }

  async #takeAll(): Promise<void> {
    const { spool } = this.#parts;
    await this.#reportExcess();
    for (const entry of await spool.list()) {
      if (this.#stopped) return;
      if (this.#busy.has(entry.name)) continue;
      // One of several that a daemon was at when it died: alone, so that only the one to blame is counted again.
      const isSuspect = (await spool.crashesOf(entry)) > 0;
      const room = isSuspect ? 1 : concurrentEntries;
      while (this.#busy.size >= room) await Promise.race(this.#busy.values());
      const work = this.#take(entry).finally(() => this.#busy.delete(entry.name));
      this.#busy.set(entry.name, work);
      if (isSuspect) await work;
    }
  }

  async #take(entry: SpooledDeletion): Promise<void> {
    const { deleteSandbox, toInvocation, log } = this.#parts;
    let invocation: CniInvocation | undefined;
    try {
      const own = toInvocation(entry);
      invocation = own;
      if (own !== undefined) return await this.#settle(entry, own, () => deleteSandbox.deleteSpooled(own));
      log.error({ entry: entry.name }, "spooled deletion names no sandbox");
      await this.#remove(entry);
    } catch (err) {
      // The entry stays, and the spool's rescan brings it again.
      log.error(
        { err, entry: entry.name, containerID: invocation?.containerId },
        "spooled deletion could not be taken in",
      );
    }
  }

  /** Noted beforehand, so that the daemon after a crash knows what this one was at. */
  async #settle(entry: SpooledDeletion, invocation: CniInvocation, run: () => Promise<void>): Promise<void> {
    const { spool } = this.#parts;
    const crashes = await spool.crashesOf(entry);
    if (crashes >= crashesUntilDead) return await this.#bury(entry, invocation, crashes);
    await spool.begin(entry);
    try {
      await run();
    } catch (error) {
      await spool.letGo(entry);
      throw error;
    }
    await this.#remove(entry);
  }

  async #bury(entry: SpooledDeletion, invocation: CniInvocation, crashes: number): Promise<void> {
    const { ledger, instruments, clock, log } = this.#parts;
    const letter = spooledDeadLetter(entry, invocation, crashes, clock);
    await ledger.owe([letter]);
    instruments.deletionDead(letter.attachment.network, "crashes");
    log.error(
      { entry: entry.name, deletion: letter.id, crashes },
      "spooled deletion given up: daemons died of it",
    );
    await this.#remove(entry);
  }

  async #reportExcess(): Promise<void> {
    const [entries, limit] = [await this.#parts.spool.count(), this.#parts.maxEntries()];
    const isOver = entries > limit;
    if (isOver && !this.#isOverLimit)
      this.#parts.log.warn({ entries, limit }, "spool holds more than its limit");
    this.#isOverLimit = isOver;
  }

  async #remove(entry: SpooledDeletion): Promise<void> {
    await this.#parts.spool.remove(entry.name, entry.generation);
    this.#parts.instruments.spooledDeletion();
    this.#parts.log.info({ entry: entry.name }, "spooled deletion taken in");
  }
}
