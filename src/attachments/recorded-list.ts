import { type NetworkList, parseNetworkListOrPlugin } from "../cni/index.ts";

/** Texts are the same for all sandboxes of a network, and one request asks several times. */
const maxRemembered = 128;
const remembered = new Map<string, NetworkList>();

/**
 * The list of a recorded configuration; the latest ones are remembered, since a list never changes once it is parsed.
 * @throws {CniError} for a text that is none
 */
export function parseRecordedList(text: string): NetworkList {
  const known = remembered.get(text);
  if (known !== undefined) return known;
  const list = parseNetworkListOrPlugin(text);
  remembered.set(text, list);
  if (remembered.size > maxRemembered) {
    const [oldest] = remembered.keys();
    if (oldest !== undefined) remembered.delete(oldest);
  }
  return list;
}
