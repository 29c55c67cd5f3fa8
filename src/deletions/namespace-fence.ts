import type { Namespaces } from "../attachments/ports.ts";
import { isSameNamespace, type NamespaceIdentity } from "../attachments/sandbox.ts";

/**
 * The CNI_NETNS that a plugin may see: `path` while it is still the namespace of the ADD, else empty. A path is given
 * to the next namespace, so a plugin that got it would take down somebody else's interface.
 */
export async function fencedNamespace(
  namespaces: Namespaces,
  path: string,
  recorded: NamespaceIdentity | undefined,
): Promise<string> {
  if (path === "") return "";
  const present = await namespaces.identify(path);
  if (present === undefined) return "";
  if (recorded !== undefined && !isSameNamespace(recorded, present)) return "";
  return path;
}
