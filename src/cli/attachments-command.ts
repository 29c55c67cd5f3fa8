import type { AttachmentView } from "../attachments/views.ts";
import type { Command } from "./command.ts";
import { answerOf } from "./failed-answer.ts";
import { itemsOf } from "./items-of.ts";
import { checkPod, describePod } from "./pod-text.ts";
import { renderTable } from "./render-table.ts";

export const attachmentsCommand: Command = {
  name: "attachments",
  parameters: [],
  options: ["pod", "network", "sandbox"],
  timeoutMs: 30_000,
  summary: "what is attached, per sandbox and network",
  run: async ({ ask, options }) => {
    if (options.pod !== undefined) checkPod(options.pod);
    const query = new URLSearchParams(options).toString();
    const answer = answerOf(await ask("GET", `/v1/attachments${query === "" ? "" : `?${query}`}`));
    const items = itemsOf<AttachmentView>(answer);
    return { answer, table: () => renderAttachments(items), exitCode: 0 };
  },
};

/** One attachment a line. */
export function renderAttachments(items: readonly AttachmentView[]): string {
  if (items.length === 0) return "nothing is attached\n";
  return renderTable(
    ["POD", "NETWORK", "INTERFACE", "IPS", "STATE", "POLICY", "SINCE", "SANDBOX"],
    items.map((item) => [
      describePod(item.pod),
      item.network,
      item.interface,
      item.ips.join(","),
      item.state,
      item.policy.mode,
      item.since,
      item.sandbox,
    ]),
  );
}
