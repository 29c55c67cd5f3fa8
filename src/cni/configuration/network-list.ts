/** One plugin of a list (SPEC.md §1 "Plugin configuration objects", libcni `PluginConfig`). */
export interface PluginConfiguration {
  /** Name of the binary; looked up only when the plugin is run. */
  readonly type: string;
  /** The plugin's own name, mostly empty; the plugin gets the list's. */
  readonly name: string;
  /** The plugin's own version, mostly empty; the plugin gets the list's. */
  readonly cniVersion: string;
  /** Capability to whether the plugin wants its argument. Own keys only: `__proto__` is a key like any other. */
  readonly capabilities: Readonly<Record<string, boolean>>;
  /** `type` inside `ipam`: a plugin that this plugin delegates to. */
  readonly ipamType?: string;
  /** The JSON object exactly as its author wrote it. */
  readonly text: string;
}

/** A network configuration list (SPEC.md §1 "Configuration format", libcni `NetworkConfigList`). */
export interface NetworkList {
  readonly name: string;
  /** The version that plugins are spoken to in: the highest known one of `cniVersions`, else `cniVersion` as written. */
  readonly cniVersion: string;
  readonly disableCheck: boolean;
  readonly disableGc: boolean;
  readonly loadOnlyInlinedPlugins: boolean;
  /** In the order of ADD; drop-in plugins follow those of the list itself. */
  readonly plugins: readonly PluginConfiguration[];
  /** Exact source of the list; drop-in plugins are not in it (`networkListText` has them). */
  readonly text: string;
}
