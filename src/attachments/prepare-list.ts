import {
  memberText,
  type NetworkList,
  parseNetworkListOrPlugin,
  parseRawArray,
  parseRawObject,
  printRawObject,
  type RawObject,
  withMember,
  withoutMembers,
} from "../cni/index.ts";
import { Failure } from "./failure.ts";

/** A list as it will be executed, and the policies that its text carried for us. */
export interface PreparedList {
  readonly list: NetworkList;
  /** JSON text of the list's own `delErrorPolicy`. */
  readonly policy: string | undefined;
  /** JSON text of single plugins' `delErrorPolicy`, by index. */
  readonly pluginPolicies: Readonly<Record<string, string>>;
}

const policyKey = "delErrorPolicy";

/**
 * Makes an author's text executable: a missing name is filled in, `cni-args` of the pod go into every plugin's
 * `args.cni`, our own key is taken out. Every other byte stays as it was written.
 * @throws {CniError} what the configuration parser says
 */
export function prepareList(text: string, fallbackName: string | undefined, cniArgs?: string): PreparedList {
  const named = fillInName(parseRawObject(text), fallbackName);
  const plugins = memberText(named, "plugins");
  const topPolicy = memberText(named, policyKey);
  const withoutKey = withoutMembers(named, (key) => key === policyKey);
  if (plugins === undefined) {
    const single = addCniArgs(withoutKey, cniArgs);
    return { list: parseNetworkListOrPlugin(printRawObject(single)), policy: topPolicy, pluginPolicies: {} };
  }
  if (!plugins.trim().startsWith("[")) {
    return {
      list: parseNetworkListOrPlugin(printRawObject(withoutKey)),
      policy: topPolicy,
      pluginPolicies: {},
    };
  }
  const pluginPolicies: Record<string, string> = {};
  const executed = parseRawArray(plugins).map((element, index) => {
    if (!element.trim().startsWith("{")) return element;
    const plugin = parseRawObject(element);
    const own = memberText(plugin, policyKey);
    if (own !== undefined) pluginPolicies[String(index)] = own;
    const cleaned = own === undefined ? plugin : withoutMembers(plugin, (key) => key === policyKey);
    const changed = addCniArgs(cleaned, cniArgs);
    return changed === plugin ? element : printRawObject(changed);
  });
  const list = parseNetworkListOrPlugin(
    printRawObject(withMember(withoutKey, "plugins", `[${executed.join(",")}]`)),
  );
  return { list, policy: topPolicy, pluginPolicies };
}

/** As upstream: a definition whose configuration has no name is called like the definition. */
function fillInName(object: RawObject, name: string | undefined): RawObject {
  const written = memberText(object, "name")?.trim();
  const isMissing = written === undefined || written === '""';
  return isMissing && name !== undefined ? withMember(object, "name", JSON.stringify(name)) : object;
}

function addCniArgs(plugin: RawObject, cniArgs: string | undefined): RawObject {
  if (cniArgs === undefined) return plugin;
  const args = parseMember(plugin, "args");
  let merged = parseMember(args, "cni");
  for (const member of parseRawObject(cniArgs).members) merged = withMember(merged, member.key, member.value);
  return withMember(plugin, "args", printRawObject(withMember(args, "cni", printRawObject(merged))));
}

function parseMember(object: RawObject, key: string): RawObject {
  const text = memberText(object, key)?.trim();
  if (text === undefined || text === "null") return { members: [] };
  if (text.startsWith("{")) return parseRawObject(text);
  throw new Failure(
    "invalid-configuration",
    `plugin configuration: ${key}: must be an object, to take the pod's cni-args`,
  );
}
