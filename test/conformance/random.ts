/** Numbers that follow from a seed alone, so that a scenario can be made again (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** One of its own for part `index` of whatever `seed` stands for: parts do not depend on one another. */
  static of(seed: number, index: number): Random {
    const mixed = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35);
    return new Random(mixed);
  }

  /** At least 0, below 1. */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 up to `count` - 1. */
  below(count: number): number {
    return Math.floor(this.fraction() * count);
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    const choice = choices[this.below(choices.length)];
    if (choice === undefined && choices.length === 0) throw new Error("nothing to choose from");
    return choice as T;
  }

  /** Some of them, in their order, each with the same probability. */
  some<T>(choices: readonly T[], probability: number): readonly T[] {
    return choices.filter(() => this.chance(probability));
  }

  /** As many as `atLeast` to `atMost`, each made anew. */
  many<T>(atLeast: number, atMost: number, make: (index: number) => T): readonly T[] {
    const count = atLeast + this.below(atMost - atLeast + 1);
    return Array.from({ length: count }, (_, index) => make(index));
  }
}
