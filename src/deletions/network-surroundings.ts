import { type ReadSettings, settingsOfNetwork } from "../attachments/settings.ts";
import type { DeletionRecord } from "./deletion-record.ts";
import type { Surroundings } from "./network-changes.ts";
import { owedPlugins } from "./run-attachment-deletion.ts";

/** Says which file a plugin is right now, such as inode and time of change; empty where there is none. */
export type StampPlugin = (plugin: {
  readonly type: string;
  readonly searchPath: readonly string[];
  readonly root?: string;
}) => string;

/** What a deletion's next try depends on that can change: its plugins' files, and what the operator set for its network. */
export function surroundings(settings: ReadSettings, stampPlugin: StampPlugin) {
  return ({ attachment }: DeletionRecord): Surroundings => {
    const { network, listName, root } = attachment;
    const now = settings();
    const searchPath = [...new Set([...attachment.searchPath, ...now.pluginPath])];
    const types = owedPlugins(attachment);
    const stamps = types.map((type) =>
      stampPlugin({ type, searchPath, ...(root === undefined ? {} : { root }) }),
    );
    return {
      subject: JSON.stringify([types, searchPath]),
      stamp: JSON.stringify([stamps, settingsOfNetwork(now, network, listName)]),
    };
  };
}
