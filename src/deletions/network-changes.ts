import type { DeletionRecord } from "./deletion-record.ts";

/** What a try depends on that an operator may mend: `subject` names what was looked at, `stamp` how it is now. */
export interface Surroundings {
  readonly subject: string;
  readonly stamp: string;
}

/** Notices that a plugin or the settings of a network with debts have changed, by looking now and then. */
export class NetworkChanges {
  readonly #look: (record: DeletionRecord) => Surroundings;
  #seen = new Map<string, Surroundings>();

  constructor(look: (record: DeletionRecord) => Surroundings) {
    this.#look = look;
  }

  /** Looks at one debt of each network; the networks where something is not as it was at the last look. */
  changed(debts: readonly DeletionRecord[]): readonly string[] {
    const seen = new Map<string, Surroundings>();
    for (const record of debts.slice(0, maxLooks)) seen.set(record.attachment.network, this.#look(record));
    const before = this.#seen;
    this.#seen = seen;
    return [...seen].flatMap(([network, { subject, stamp }]) => {
      const last = before.get(network);
      return last?.subject === subject && last.stamp !== stamp ? [network] : [];
    });
  }
}

/** Networks that are looked at each time; a node has a handful. */
const maxLooks = 100;
