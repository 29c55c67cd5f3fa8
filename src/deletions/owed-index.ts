import { elapsedMs } from "../attachments/age.ts";
import type { BootClock } from "../attachments/ports.ts";
import { monotonicNs } from "../foundation/clock.ts";
import type { DeletionRecord } from "./deletion-record.ts";

export interface OwedCount {
  readonly network: string;
  readonly state: "pending" | "dead";
  readonly count: number;
}

/** Owed deletions in memory, found by what they are asked for; no question but that of the ages looks at all of them. */
export class OwedIndex {
  readonly #records = new Map<string, DeletionRecord>();
  readonly #bySandbox = new Map<string, Set<string>>();
  readonly #byNetwork = { pending: new Map<string, Set<string>>(), dead: new Map<string, Set<string>>() };
  readonly #counts = { pending: 0, dead: 0 };

  get(id: string): DeletionRecord | undefined {
    return this.#records.get(id);
  }

  /** In the order in which they came. */
  all(): readonly DeletionRecord[] {
    return [...this.#records.values()];
  }

  set(record: DeletionRecord): void {
    const { id, sandbox, state, attachment } = record;
    const before = this.#records.get(id);
    if (before !== undefined && before.state !== state) this.#uncount(before);
    if (before?.state !== state) {
      this.#counts[state] += 1;
      put(this.#byNetwork[state], attachment.network, id);
    }
    if (before === undefined) put(this.#bySandbox, sandbox, id);
    this.#records.set(id, record);
  }

  delete(id: string): void {
    const record = this.#records.get(id);
    if (record === undefined) return;
    this.#uncount(record);
    take(this.#bySandbox, record.sandbox, id);
    this.#records.delete(id);
  }

  ofSandbox(containerId: string): readonly DeletionRecord[] {
    return this.#each(this.#bySandbox.get(containerId));
  }

  deadOf(network: string): readonly DeletionRecord[] {
    return this.#each(this.#byNetwork.dead.get(network));
  }

  count(state: "pending" | "dead"): number {
    return this.#counts[state];
  }

  countsByNetwork(): readonly OwedCount[] {
    return (["pending", "dead"] as const).flatMap((state) =>
      [...this.#byNetwork[state]].map(([network, ids]) => ({ network, state, count: ids.size })),
    );
  }

  /** Dead letters, the one first that is owed longest. */
  deadByAge(clock: BootClock): readonly DeletionRecord[] {
    const dead = [...this.#byNetwork.dead.values()].flatMap((ids) => this.#each(ids));
    const aged = dead.map((record) => ({ record, ageMs: elapsedMs(record.age, clock) }));
    return aged.sort((left, right) => right.ageMs - left.ageMs).map(({ record }) => record);
  }

  /** Age in milliseconds of the one that is owed longest; 0 where there is none. */
  oldestMs(state: "pending" | "dead", clock: BootClock): number {
    let oldest = 0;
    for (const ids of this.#byNetwork[state].values()) {
      for (const record of this.#each(ids)) oldest = Math.max(oldest, elapsedMs(record.age, clock));
    }
    return oldest;
  }

  #uncount({ id, state, attachment }: DeletionRecord): void {
    this.#counts[state] -= 1;
    take(this.#byNetwork[state], attachment.network, id);
  }

  #each(ids: ReadonlySet<string> = new Set()): readonly DeletionRecord[] {
    return [...ids].flatMap((id) => this.#records.get(id) ?? []);
  }
}

/** Ages of the oldest, in milliseconds; of many they are looked at anew every second only. */
export class OldestAges {
  #last = { pending: 0, dead: 0 };
  #atNs = 0n;

  now(records: OwedIndex, clock: BootClock): { readonly pending: number; readonly dead: number } {
    const isMany = records.count("pending") + records.count("dead") > 200;
    const nowNs = monotonicNs();
    if (isMany && nowNs - this.#atNs < 1_000_000_000n) return this.#last;
    this.#atNs = nowNs;
    this.#last = { pending: records.oldestMs("pending", clock), dead: records.oldestMs("dead", clock) };
    return this.#last;
  }
}

function put(index: Map<string, Set<string>>, key: string, id: string): void {
  index.set(key, (index.get(key) ?? new Set()).add(id));
}

function take(index: Map<string, Set<string>>, key: string, id: string): void {
  const ids = index.get(key);
  ids?.delete(id);
  if (ids?.size === 0) index.delete(key);
}
