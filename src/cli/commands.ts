import { attachmentsCommand } from "./attachments-command.ts";
import { cniCommands } from "./cni/cni-commands.ts";
import type { Command } from "./command.ts";
import { deletionsAbandon, deletionsList, deletionsRetry, deletionsShow } from "./deletions-commands.ts";
import { explainCommand } from "./explain-command.ts";
import { leaksCommand } from "./leaks-command.ts";
import { statusCommand } from "./status-command.ts";

/** Everything that multusctl can do, in the order of its help. */
export const commands: readonly Command[] = [
  statusCommand,
  attachmentsCommand,
  deletionsList,
  deletionsShow,
  deletionsRetry,
  deletionsAbandon,
  explainCommand,
  leaksCommand,
  ...cniCommands,
];
