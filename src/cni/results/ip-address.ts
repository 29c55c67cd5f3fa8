/** 4 or 16 bytes; an IPv4 address mapped into IPv6 has 4. */
export type IpAddress = readonly number[];

/**
 * Reads an address as Go's `net.ParseIP`: no leading zeros in IPv4, no zone.
 * Node's own parsers accept more and print addresses otherwise than Go.
 */
export function parseIp(text: string): IpAddress | undefined {
  return text.includes(":") ? unmap(parseIpv6(text)) : parseIpv4(text);
}

/** Canonical text (RFC 5952). */
export function formatIp(address: IpAddress): string {
  if (address.length === 4) return address.join(".");
  const groups = Array.from({ length: 8 }, (_, index) => groupAt(address, index));
  const run = longestZeroRun(groups);
  const hex = groups.map((group) => group.toString(16));
  if (run.length < 2) return hex.join(":");
  return `${hex.slice(0, run.start).join(":")}::${hex.slice(run.start + run.length).join(":")}`;
}

/**
 * Canonical text of `address/length` with the bits of the host part kept, or `undefined` if it is no such thing.
 * @see libcni `types.ParseCIDR`
 */
export function canonicalCidr(text: string): string | undefined {
  const slash = text.indexOf("/");
  if (slash < 0) return undefined;
  const ip = text.slice(0, slash);
  const address = parseIp(ip);
  const lengthText = text.slice(slash + 1);
  // Go's own parser takes leading zeros here.
  if (address === undefined || !/^[0-9]{1,9}$/.test(lengthText)) return undefined;
  const length = Number(lengthText);
  const isMapped = address.length === 4 && ip.includes(":");
  if (length > (address.length === 4 && !isMapped ? 32 : 128)) return undefined;
  return `${formatIp(address)}/${isMapped ? Math.max(0, length - 96) : length}`;
}

/** True for IPv4, of text that `parseIp` or `canonicalCidr` gave. */
export function isIpv4(canonical: string): boolean {
  return !canonical.includes(":");
}

function parseIpv4(text: string): IpAddress | undefined {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9][0-9]{0,2})$/.test(part))) return undefined;
  const bytes = parts.map(Number);
  return bytes.every((byte) => byte <= 255) ? bytes : undefined;
}

function parseIpv6(text: string): IpAddress | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const [head = "", tail] = halves;
  const before = parseGroups(head, tail === undefined);
  if (before === undefined) return undefined;
  if (tail === undefined) return before.length === 16 ? before : undefined;
  const after = parseGroups(tail, true);
  // `::` stands for one group at least.
  if (after === undefined || before.length + after.length > 14) return undefined;
  return [...before, ...Array.from({ length: 16 - before.length - after.length }, () => 0), ...after];
}

/** Groups between colons; only the very end of an address may be written as IPv4. */
function parseGroups(text: string, isEnd: boolean): number[] | undefined {
  if (text === "") return [];
  const bytes: number[] = [];
  const groups = text.split(":");
  for (const [index, group] of groups.entries()) {
    const ipv4 = isEnd && index === groups.length - 1 && group.includes(".") ? parseIpv4(group) : undefined;
    if (ipv4 !== undefined) bytes.push(...ipv4);
    else if (/^[0-9a-fA-F]{1,4}$/.test(group)) bytes.push(...splitGroup(Number.parseInt(group, 16)));
    else return undefined;
  }
  return bytes;
}

function splitGroup(group: number): readonly number[] {
  return [group >> 8, group & 0xff];
}

function groupAt(address: IpAddress, index: number): number {
  return ((address[2 * index] ?? 0) << 8) | (address[2 * index + 1] ?? 0);
}

function unmap(address: IpAddress | undefined): IpAddress | undefined {
  if (address === undefined) return undefined;
  const isMapped =
    address.slice(0, 10).every((byte) => byte === 0) && address[10] === 255 && address[11] === 255;
  return isMapped ? address.slice(12) : address;
}

function longestZeroRun(groups: readonly number[]): { readonly start: number; readonly length: number } {
  let best = { start: 0, length: 0 };
  let start = 0;
  for (const [index, group] of groups.entries()) {
    if (group !== 0) start = index + 1;
    else if (index + 1 - start > best.length) best = { start, length: index + 1 - start };
  }
  return best;
}
