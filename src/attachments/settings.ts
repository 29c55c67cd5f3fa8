import type { ErrorPolicy } from "./error-policy.ts";

/** What an ADD does that wants a device or address whose DEL is owed. */
export type OwedResourceRule = "proceed" | "wait" | "refuse";

/** What an operator set for one network (`networks` of the daemon's configuration). */
export interface NetworkSettings {
  readonly delErrorPolicy?: ErrorPolicy;
  readonly pluginTimeoutMs?: number;
  /** Tries at owed deletions of this network beside each other; absent: no own limit. */
  readonly concurrency?: number;
  /** Absent: `wait` for devices, `proceed` for addresses. */
  readonly onOwedResource?: OwedResourceRule;
  /** Whose namespaces are held open while a DEL is owed; absent: `devices`. */
  readonly pinNamespaces?: "devices" | "all" | "none";
}

/** The daemon's configuration as far as the domain goes; a reload gives a new snapshot. */
export interface DomainSettings {
  /** The daemon configuration's text: its top-level keys replace those of each request (multus' overlay). */
  readonly overlay: string;
  /** By definition (`ns/name`) or network name. */
  readonly networks: Readonly<Record<string, NetworkSettings>>;
  readonly timeouts: {
    readonly addMs: number;
    readonly delMs: number;
    readonly checkMs: number;
    readonly statusMs: number;
    readonly gcMs: number;
    readonly pluginMs: number;
  };
  /** Directory that plugins are chrooted into. */
  readonly root?: string;
  /** Directories of the daemon's own CNI_PATH, searched after `binDir`. */
  readonly pluginPath: readonly string[];
  readonly statusPolicy: "retry" | "require" | "skip";
  /** Dead letters that are kept as records. */
  readonly maxDeadLetters: number;
  /** Spooled DELs beyond which the log says so. */
  readonly maxSpoolEntries: number;
  /** What is done with records that no live sandbox stands behind, of an earlier boot and of this one. */
  readonly collectLeftovers: {
    readonly previousBoot: "delete" | "report";
    readonly uncertain: "delete" | "report";
  };
}

/** Reads the newest snapshot; a use case calls it once and keeps what it got. */
export type ReadSettings = () => DomainSettings;

/** Settings of a network by its key first, then by its list's name. */
export function settingsOfNetwork(
  settings: DomainSettings,
  network: string,
  listName: string,
): NetworkSettings {
  return ownEntry(settings.networks, network) ?? ownEntry(settings.networks, listName) ?? {};
}

function ownEntry(networks: DomainSettings["networks"], name: string): NetworkSettings | undefined {
  return Object.hasOwn(networks, name) ? networks[name] : undefined;
}

/** A plugin's own time limit on this network. */
export function pluginLimitMs(settings: DomainSettings, network: string, listName: string): number {
  return settingsOfNetwork(settings, network, listName).pluginTimeoutMs ?? settings.timeouts.pluginMs;
}
