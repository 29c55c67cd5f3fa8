/** Which methods each path takes, collected as the routes are made: for `allow` of a 405. */
export class RouteMethods {
  readonly #routes = new Map<string, Set<string>>();

  /** `pattern` with `:name` for a part that may be anything. */
  add(pattern: string, methods: string | readonly string[]): void {
    const known = this.#routes.get(pattern) ?? new Set();
    for (const method of [methods].flat()) known.add(method);
    this.#routes.set(pattern, known);
  }

  /** Empty where no route has this path, whatever the method. */
  allowed(path: string): readonly string[] {
    const parts = path.split("/");
    for (const [pattern, methods] of this.#routes) {
      if (matches(pattern.split("/"), parts)) return [...methods].sort();
    }
    return [];
  }
}

function matches(pattern: readonly string[], parts: readonly string[]): boolean {
  return (
    pattern.length === parts.length &&
    pattern.every((part, index) => (part.startsWith(":") ? parts[index] !== "" : part === parts[index]))
  );
}
