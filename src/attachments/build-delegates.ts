import { type ChosenNetwork, capabilityArguments, type Delegate, delegateArgs } from "./delegate.ts";
import { nameInterfaces } from "./interface-names.ts";
import type { CniInvocation } from "./invocation.ts";
import type { MultusConfiguration } from "./multus-configuration.ts";
import type { DomainSettings } from "./settings.ts";

/** Gives each chosen network its interface name and all that its plugins get, in ADD order. */
export function buildDelegates(
  networks: readonly ChosenNetwork[],
  invocation: CniInvocation,
  configuration: MultusConfiguration,
  settings: DomainSettings,
): readonly Delegate[] {
  const names = nameInterfaces(networks, invocation.ifName);
  return networks.map((chosen, index) => {
    const interfaceName = names[index] ?? invocation.ifName;
    const isPrimary = index === 0;
    const root = settings.root === undefined ? {} : { root: settings.root };
    return {
      ...chosen,
      interface: interfaceName,
      isPrimary,
      attachment: {
        containerId: invocation.containerId,
        netns: invocation.netns,
        ifName: interfaceName,
        args: delegateArgs(invocation, chosen.selection),
        capabilityArgs: capabilityArguments(
          configuration.runtimeConfig,
          isPrimary ? undefined : chosen.selection,
        ),
        searchPath: searchPath(configuration.binDir, settings.pluginPath, invocation.path),
        ...root,
      },
    };
  });
}

/** The operator's directories first; the runtime's own come last, so that they can add plugins but replace none. */
export function searchPath(
  binDir: string,
  own: readonly string[],
  runtime: readonly string[],
): readonly string[] {
  return [...new Set([binDir, ...own, ...runtime].filter((directory) => directory !== ""))];
}
