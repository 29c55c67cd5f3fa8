/** What is due when, earliest first. Each change costs the logarithm of what waits, so that ten thousand may. */
export class DueQueue {
  readonly #dueNs = new Map<string, bigint>();
  /** Binary heap; an entry whose time is not the one in `#dueNs` is stale, and skipped when it comes to the top. */
  #heap: Entry[] = [];

  get size(): number {
    return this.#dueNs.size;
  }

  dueNs(id: string): bigint | undefined {
    return this.#dueNs.get(id);
  }

  set(id: string, dueNs: bigint): void {
    if (this.#dueNs.get(id) === dueNs) return;
    this.#dueNs.set(id, dueNs);
    this.#push({ id, dueNs });
    if (this.#heap.length > 2 * this.#dueNs.size + staleKept) this.#rebuild();
  }

  delete(id: string): void {
    this.#dueNs.delete(id);
    if (this.#dueNs.size === 0) this.#heap = [];
  }

  /** The earliest; `undefined` where nothing waits. */
  peek(): Entry | undefined {
    for (let top = this.#heap[0]; top !== undefined; top = this.#heap[0]) {
      if (this.#dueNs.get(top.id) === top.dueNs) return top;
      this.#pop();
    }
    return undefined;
  }

  /** Makes all that is due later due at `dueNs`. */
  advanceAll(dueNs: bigint): void {
    for (const [id, ownNs] of this.#dueNs) if (ownNs > dueNs) this.#dueNs.set(id, dueNs);
    this.#rebuild();
  }

  #rebuild(): void {
    // A sorted list is a heap.
    this.#heap = [...this.#dueNs].map(([id, dueNs]) => ({ id, dueNs }));
    this.#heap.sort((left, right) => (left.dueNs < right.dueNs ? -1 : Number(left.dueNs > right.dueNs)));
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let index = heap.length;
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || parent.dueNs <= entry.dueNs) break;
      heap[index] = parent;
      index = above;
    }
    heap[index] = entry;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let index = 0;
    for (;;) {
      const below = smallerChild(heap, index);
      const child = heap[below];
      if (child === undefined || child.dueNs >= last.dueNs) break;
      heap[index] = child;
      index = below;
    }
    heap[index] = last;
  }
}

interface Entry {
  readonly id: string;
  /** CLOCK_MONOTONIC. */
  readonly dueNs: bigint;
}

/** Stale entries beyond twice what waits are cleared away. */
const staleKept = 64;

function smallerChild(heap: readonly Entry[], index: number): number {
  const left = 2 * index + 1;
  const [first, second] = [heap[left], heap[left + 1]];
  return first !== undefined && second !== undefined && second.dueNs < first.dueNs ? left + 1 : left;
}
