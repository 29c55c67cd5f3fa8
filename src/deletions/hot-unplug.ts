import { Failure } from "../attachments/failure.ts";
import type { CniInvocation } from "../attachments/invocation.ts";
import type { SandboxStore } from "../attachments/ports.ts";
import type { SandboxRecord } from "../attachments/sandbox-record.ts";
import type { SandboxTurns } from "../attachments/sandbox-turns.ts";
import type { ReadSettings } from "../attachments/settings.ts";
import { Deadline } from "../foundation/deadline.ts";
import type { DeleteSandbox } from "./delete-sandbox.ts";

export interface HotUnplugParts {
  readonly settings: ReadSettings;
  readonly store: SandboxStore;
  readonly turns: SandboxTurns;
  readonly deleteSandbox: DeleteSandbox;
}

/** `/delegate` DEL: one network of a running pod goes, be it hot-plugged or one of those that its ADD attached. */
export class HotUnplug {
  readonly #parts: HotUnplugParts;

  constructor(parts: HotUnplugParts) {
    this.#parts = parts;
  }

  /**
   * Goes by the record, not by the request's configuration; resolves for an interface that is not known, which is gone.
   * @throws {Failure} what a strict network could not delete; `invalid-configuration` for the sandbox's own interface
   */
  async detach(invocation: CniInvocation): Promise<void> {
    const { turns, deleteSandbox, settings } = this.#parts;
    const deadline = Deadline.after(settings().timeouts.delMs);
    await turns.run(invocation.containerId, async () => {
      const record = await this.#find(invocation);
      if (record !== undefined) await deleteSandbox.deleteEntryInTurn(record, invocation, deadline);
    });
  }

  async #find({ containerId, ifName }: CniInvocation): Promise<SandboxRecord | undefined> {
    const entries = await this.#parts.store.loadContainer(containerId);
    const records = entries.filter((entry): entry is SandboxRecord => entry.state !== "done");
    const own = records.find((record) => record.ifName === ifName);
    if (own?.hotPlugged === true) return own;
    if (own !== undefined) {
      throw new Failure(
        "invalid-configuration",
        `interface "${ifName}" is the sandbox's own: it goes with the DEL of its runtime`,
      );
    }
    const home = records.find(
      ({ state, attachments }) => state !== "adding" && attachments.some((own) => own.interface === ifName),
    );
    return home === undefined ? undefined : await this.#cutOut(home, ifName);
  }

  /** Makes one network of a sandbox an entry of its own, so that it can go alone. Dying between the writes owes it twice. */
  async #cutOut(home: SandboxRecord, ifName: string): Promise<SandboxRecord> {
    const { store } = this.#parts;
    const isOther = (own: { readonly interface?: string }) => own.interface !== ifName;
    const { networkStatus, refusals, ...rest } = home;
    const entry: SandboxRecord = {
      ...rest,
      ifName,
      state: "deleting",
      attachments: home.attachments.filter((own) => !isOther(own)),
      hotPlugged: true,
    };
    await store.save(entry);
    await store.save({
      ...rest,
      attachments: home.attachments.filter(isOther),
      ...(refusals === undefined ? {} : { refusals }),
      ...(networkStatus === undefined ? {} : { networkStatus: networkStatus.filter(isOther) }),
    });
    return entry;
  }
}
