/** What stands for every value that came after the budget was used up. */
const otherLabel = "other";

/**
 * Keeps a label's set of values closed (contract §7), so that no user of the cluster can fill the daemon's memory or
 * Prometheus': the first `limit` values keep their names, whatever comes later is `other`.
 */
export class LabelBudget {
  readonly #limit: number;
  readonly #seen = new Set<string>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  bound(value: string): string {
    if (this.#seen.has(value)) return value;
    if (this.#seen.size >= this.#limit || value.length > maxLabelLength) return otherLabel;
    this.#seen.add(value);
    return value;
  }
}

/** `ns/name` of a definition: 63 and 253 letters, and the slash. */
const maxLabelLength = 317;

/** Networks and plugins, each bounded, and their pairs too: a histogram of all pairs would be millions of series. */
export class NetworkLabels {
  readonly #networks = new LabelBudget(200);
  readonly #plugins = new LabelBudget(100);
  readonly #pairs = new LabelBudget(1000);

  network(network: string): string {
    return this.#networks.bound(network);
  }

  pair(network: string, plugin: string): { readonly network: string; readonly plugin: string } {
    const bounded = { network: this.network(network), plugin: this.#plugins.bound(plugin) };
    const isKnown = this.#pairs.bound(`${bounded.plugin}\n${bounded.network}`) !== otherLabel;
    return isKnown ? bounded : { network: otherLabel, plugin: otherLabel };
  }
}

const namedCodes: ReadonlySet<number> = new Set([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 50, 51, 999]);

/** CNI codes: those that the specification names, else `other` (a plugin's own). */
export function codeLabel(code: number): string {
  return namedCodes.has(code) ? String(code) : otherLabel;
}

const commands: ReadonlySet<string> = new Set(["ADD", "DEL", "CHECK", "GC", "STATUS", "VERSION"]);

export function commandLabel(command: string): string {
  return commands.has(command) ? command : otherLabel;
}

const httpMethods: ReadonlySet<string> = new Set([
  "get",
  "head",
  "post",
  "put",
  "patch",
  "delete",
  "options",
]);

/** In lower case, as upstream counts them. */
export function methodLabel(method: string): string {
  const lower = method.toLowerCase();
  return httpMethods.has(lower) ? lower : otherLabel;
}

/** HTTP status. */
export function statusLabel(status: string): string {
  return /^[1-5]\d\d$/.test(status) ? status : otherLabel;
}
