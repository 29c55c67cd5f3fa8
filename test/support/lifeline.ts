/**
 * A daemon's life as its ports see it: after its end no call reaches a port and none settles, as after `kill -9`.
 * The objects of the dead daemon stay, but can do no more.
 */
export class Lifeline {
  /** Calls of asynchronous ports so far, such as `store.save`. */
  readonly calls: string[] = [];
  #isOver = false;
  #last: { readonly call: number; readonly hasEffect: boolean } | undefined;
  readonly #over = Promise.withResolvers<void>();

  get isOver(): boolean {
    return this.#isOver;
  }

  end(): void {
    this.#isOver = true;
    this.#over.resolve();
  }

  /** Ends at the call of that number, counted from 1: before it does anything, or after what it does. */
  endAtCall(call: number, hasEffect: boolean): void {
    this.#last = { call: this.calls.length + call, hasEffect };
  }

  /** Resolves when this life ends. */
  whenOver(): Promise<void> {
    return this.#over.promise;
  }

  /** The same port while this life lasts. */
  tie<Port extends object>(name: string, port: Port): Port {
    return new Proxy(port, {
      get: (target, key) => {
        const member: unknown = Reflect.get(target, key, target);
        if (typeof member !== "function") return member;
        return (...args: unknown[]) =>
          this.#call(`${name}.${String(key)}`, () => Reflect.apply(member, target, args));
      },
    });
  }

  #call(name: string, run: () => unknown): unknown {
    if (!this.#begin(name)) return never();
    const answer = run();
    this.#afterEffect();
    if (answer instanceof Promise) {
      return answer.then(
        (value) => (this.#isOver ? never() : value),
        (error) => (this.#isOver ? never() : Promise.reject(error)),
      );
    }
    return this.#isOver ? never() : answer;
  }

  #begin(name: string): boolean {
    if (this.#isOver) return false;
    this.calls.push(name);
    if (this.#last?.call === this.calls.length && !this.#last.hasEffect) this.end();
    return !this.#isOver;
  }

  #afterEffect(): void {
    if (this.#last?.call === this.calls.length && this.#last.hasEffect) this.end();
  }
}

/** For whoever awaits it and for whoever iterates over it. */
function never(): Promise<never> & AsyncIterable<never> {
  const promise = new Promise<never>(() => {});
  return Object.assign(promise, {
    [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }),
  });
}
