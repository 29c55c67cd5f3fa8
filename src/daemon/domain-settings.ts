import type { DomainSettings, NetworkSettings } from "../attachments/settings.ts";
import type { DaemonConfig } from "../config/daemon-config.ts";

/** The daemon's configuration as far as the domain may see it. @param pluginPath the daemon's own CNI_PATH, split */
export function toDomainSettings(config: DaemonConfig, pluginPath: readonly string[]): DomainSettings {
  const { addMs, delMs, checkMs, statusMs, gcMs, pluginMs } = config.timeouts;
  return {
    overlay: config.rawText,
    networks: networkSettings(config),
    timeouts: { addMs, delMs, checkMs, statusMs, gcMs, pluginMs },
    ...(config.chrootDir === undefined ? {} : { root: config.chrootDir }),
    pluginPath,
    statusPolicy: config.statusPolicy,
    collectLeftovers: config.collectLeftovers,
    maxDeadLetters: config.limits.deadLetters,
    maxSpoolEntries: config.limits.spoolEntries,
  };
}

function networkSettings(config: DaemonConfig): DomainSettings["networks"] {
  const entries = Object.entries(config.networks).map(([name, own]): [string, NetworkSettings] => {
    const pluginTimeoutMs = own.timeouts.pluginMs;
    return [
      name,
      {
        ...(own.delErrorPolicy === undefined ? {} : { delErrorPolicy: own.delErrorPolicy }),
        ...(pluginTimeoutMs === undefined ? {} : { pluginTimeoutMs }),
        ...(own.concurrency === undefined ? {} : { concurrency: own.concurrency }),
        pinNamespaces: own.pinNamespaces,
        ...(own.onOwedResource === undefined ? {} : { onOwedResource: own.onOwedResource }),
      },
    ];
  });
  return Object.fromEntries(entries);
}
