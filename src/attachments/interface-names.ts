import type { ChosenNetwork } from "./delegate.ts";
import { Failure } from "./failure.ts";

/**
 * Names each network's interface: what was asked for, else CNI_IFNAME for the primary and `net<i>` for the others,
 * `i` being the place in the whole list (multus reference §5.1).
 * @throws {Failure} `invalid-configuration` before anything runs, if two networks want one name
 */
export function nameInterfaces(networks: readonly ChosenNetwork[], primaryName: string): readonly string[] {
  const owners = new Map<string, string>();
  return networks.map((chosen, index) => {
    const name = chosen.selection?.interface ?? (index === 0 ? primaryName : `net${index}`);
    const owner = owners.get(name);
    if (owner !== undefined) {
      throw new Failure(
        "invalid-configuration",
        `network "${chosen.network}" wants interface "${name}", which network "${owner}" of the same pod has; ask for another name`,
      );
    }
    owners.set(name, chosen.network);
    return name;
  });
}
