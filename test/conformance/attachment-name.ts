import { createHash } from "node:crypto";
import { resolve } from "node:path";
import type { Scenario } from "./scenario.ts";

/** The container ID of cnitool, whose working directory is the root here. */
export function containerIdOf(netns: string): string {
  return `cnitool-${createHash("sha512").update(resolve("/", netns)).digest("hex").slice(0, 20)}`;
}

export function ifNameOf({ env }: Pick<Scenario, "env">): string {
  return env["CNI_IFNAME"] ?? "eth0";
}

/** Where the result of the scenario's attachment is cached, below `world`. */
export function cacheFileOf(scenario: Scenario): string {
  return `results/${scenario.network}-${containerIdOf(scenario.netns)}-${ifNameOf(scenario)}`;
}
