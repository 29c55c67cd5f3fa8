/** The order of fields in libcni's types, each after those that may stand before it in any of them. */
const fieldOrder: readonly string[] = [
  ...["cniVersion", "interfaces", "ips", "ip4", "ip6", "name", "mac", "sandbox"],
  ...["version", "interface", "address", "ip", "gateway", "routes"],
  ...["dst", "gw", "mtu", "advmss", "priority", "table", "scope"],
  ...["dns", "nameservers", "domain", "search", "options"],
];

const escaped = /[<>&\u2028\u2029]/g;

/**
 * A result as upstream's cnitool prints it, byte for byte: indented by four blanks, no newline at the end, keys
 * sorted from 1.0.0 on and before in the order of libcni's types.
 */
export function printAsGo(result: unknown, cniVersion: string): string {
  const compare = cniVersion.startsWith("0.") ? byField : byName;
  return JSON.stringify(withOrder(result, compare), undefined, 4).replaceAll(escaped, escapeCharacter);
}

type CompareKeys = (left: string, right: string) => number;

function byField(left: string, right: string): number {
  return fieldOrder.indexOf(left) - fieldOrder.indexOf(right);
}

function byName(left: string, right: string): number {
  return left < right ? -1 : 1;
}

function withOrder(value: unknown, compare: CompareKeys): unknown {
  if (Array.isArray(value)) return value.map((element) => withOrder(element, compare));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([left], [right]) => compare(left, right));
  return Object.fromEntries(entries.map(([key, inner]) => [key, withOrder(inner, compare)]));
}

/** Go escapes them, so that JSON may stand in HTML. */
function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
