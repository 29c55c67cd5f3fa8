import type { Instruments, Log } from "../attachments/instruments.ts";
import type { CniInvocation } from "../attachments/invocation.ts";
import type { BootClock } from "../attachments/ports.ts";
import { isOlder } from "../attachments/sandbox.ts";
import type { DeleteSandbox } from "./delete-sandbox.ts";
import type { SpooledDeletion, SpoolSource } from "./ports.ts";

export interface SpoolIntakeParts {
  readonly spool: SpoolSource;
  readonly deleteSandbox: DeleteSandbox;
  /** Reads a spooled request as a DEL; `undefined` if it names no container. */
  readonly toInvocation: (entry: SpooledDeletion) => CniInvocation | undefined;
  readonly instruments: Instruments;
  readonly clock: BootClock;
  readonly log: Log;
}

type SandboxRequest = Pick<CniInvocation, "containerId" | "generation">;

/** Entries worked on at once; the request slots bound the plugins as well. */
const concurrentEntries = 8;

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
      await deleteSandbox.deleteSpooledInTurn(invocation);
      await this.#remove(entry);
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
    for (const entry of await this.#parts.spool.list()) {
      if (this.#stopped) return;
      if (this.#busy.has(entry.name)) continue;
      while (this.#busy.size >= concurrentEntries) await Promise.race(this.#busy.values());
      const work = this.#take(entry).finally(() => this.#busy.delete(entry.name));
      this.#busy.set(entry.name, work);
    }
  }

  async #take(entry: SpooledDeletion): Promise<void> {
    const { deleteSandbox, toInvocation, log } = this.#parts;
    let invocation: CniInvocation | undefined;
    try {
      invocation = toInvocation(entry);
      if (invocation === undefined) log.error({ entry: entry.name }, "spooled deletion names no sandbox");
      else await deleteSandbox.deleteSpooled(invocation);
      await this.#remove(entry);
    } catch (err) {
      // The entry stays, and the spool's rescan brings it again.
      log.error(
        { err, entry: entry.name, containerID: invocation?.containerId },
        "spooled deletion could not be taken in",
      );
    }
  }

  async #remove(entry: SpooledDeletion): Promise<void> {
    await this.#parts.spool.remove(entry.name, entry.generation);
    this.#parts.instruments.spooledDeletion();
    this.#parts.log.info({ entry: entry.name }, "spooled deletion taken in");
  }
}
