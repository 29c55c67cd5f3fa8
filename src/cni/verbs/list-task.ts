import type { NetworkList, PluginConfiguration } from "../configuration/network-list.ts";
import type { FailedPlugin } from "../errors/verb-errors.ts";
import type { Attachment, CniRuntime, PluginSearch } from "../plugins/cni-runtime.ts";
import { noContainer } from "../plugins/plugin-environment.ts";
import { buildPluginRequest, type RequestFacts } from "../plugins/plugin-request.ts";
import type { PluginTask } from "../plugins/run-plugin.ts";
import type { CniResult } from "../results/cni-result.ts";
import type { CniVerb } from "./cni-verb.ts";

/** A plugin of a list and its place in it. */
export interface ListedPlugin {
  readonly plugin: PluginConfiguration;
  readonly index: number;
}

/** The task of a plugin in ADD, CHECK or DEL of `attachment`. */
export function attachmentTask(
  cni: CniRuntime,
  list: NetworkList,
  attachment: Attachment,
  command: CniVerb,
  { plugin, index }: ListedPlugin,
  prevResult: CniResult | undefined,
  pluginsLeft: number,
): PluginTask {
  const stdin = buildPluginRequest(list, plugin, {
    ...(prevResult === undefined ? {} : { prevResult }),
    capabilityArgs: attachment.capabilityArgs,
    ...reservedKeys(cni),
  });
  const { containerId, netns, ifName, args } = attachment;
  const parameters = { containerId, netns, ifName, args };
  return { listName: list.name, plugin, index, command, parameters, search: attachment, stdin, pluginsLeft };
}

/** The task of a plugin in GC or STATUS, which are about no container. */
export function networkTask(
  cni: CniRuntime,
  list: NetworkList,
  search: PluginSearch,
  command: CniVerb,
  { plugin, index }: ListedPlugin,
  facts: RequestFacts,
): PluginTask {
  const stdin = buildPluginRequest(list, plugin, { ...facts, ...reservedKeys(cni) });
  const pluginsLeft = list.plugins.length - index;
  return { listName: list.name, plugin, index, command, parameters: noContainer, search, stdin, pluginsLeft };
}

/** What an error says of a plugin. */
export function failedPlugin({ plugin, index }: ListedPlugin): FailedPlugin {
  return { index, type: plugin.type, name: plugin.name };
}

function reservedKeys(cni: CniRuntime): Pick<RequestFacts, "passReservedKeys"> {
  return cni.passReservedKeys === true ? { passReservedKeys: true } : {};
}
