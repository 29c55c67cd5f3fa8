import type { Log } from "../attachments/instruments.ts";
import type { SandboxStore } from "../attachments/ports.ts";
import type { SandboxRecord } from "../attachments/sandbox-record.ts";
import { owedIndexes } from "./run-attachment-deletion.ts";

/** A DEL that is faster than this pays for one write, at its end. */
const flushDelayMs = 20;

/**
 * Takes each plugin whose DEL succeeded out of the sandbox's record while later plugins still run. So a plugin runs
 * twice only if the daemon dies within 20 ms of its success, and a quick DEL pays nothing for it.
 */
export class DeletionProgress {
  readonly #store: SandboxStore;
  readonly #log: Log;
  #record: SandboxRecord;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(store: SandboxStore, record: SandboxRecord, log: Log) {
    this.#store = store;
    // What was never attached as a whole stays an ADD to be rolled back, whoever takes it up after a crash.
    this.#record = record.state === "adding" ? record : { ...record, state: "deleting" };
    this.#log = log;
  }

  deleted(attachmentIndex: number, pluginIndex: number): void {
    const attachments = this.#record.attachments.map((attachment, index) =>
      index === attachmentIndex
        ? { ...attachment, owed: owedIndexes(attachment).filter((owed) => owed !== pluginIndex) }
        : attachment,
    );
    this.#record = { ...this.#record, attachments };
    this.#timer ??= setTimeout(() => this.#flush(), flushDelayMs);
  }

  /** Nothing is written after this has resolved. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#writing;
  }

  #flush(): void {
    this.#timer = undefined;
    const record = this.#record;
    this.#writing = this.#writing.then(async () => {
      try {
        await this.#store.save(record);
      } catch (err) {
        // The write at the end of the DEL decides; until then the older record only means a plugin more.
        this.#log.warn(
          { err, containerID: record.containerId },
          "progress of a deletion could not be written",
        );
      }
    });
  }
}
