import { parseRawArray } from "../raw-json/raw-array.ts";
import { memberText, parseRawObject, printRawObject, withMember } from "../raw-json/raw-object.ts";
import type { NetworkList } from "./network-list.ts";

/**
 * Text that `parseNetworkList` reads back to the same plugins, byte for byte, drop-in plugins included: what a
 * runtime keeps for DEL. Without drop-in plugins it is the list's own text.
 */
export function networkListText(list: NetworkList): string {
  const source = parseRawObject(list.text);
  const inlined = memberText(source, "plugins");
  const texts = list.plugins.map((plugin) => plugin.text);
  if (inlined !== undefined && isSame(parseRawArray(inlined), texts)) return list.text;
  if (texts.length === 0) return list.text;
  return printRawObject(withMember(source, "plugins", `[${texts.join(",")}]`));
}

function isSame(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((text, index) => text === right[index]);
}
