import type { LeakView } from "../attachments/views.ts";
import type { Command } from "./command.ts";
import { answerOf } from "./failed-answer.ts";
import { itemsOf } from "./items-of.ts";
import { describePod } from "./pod-text.ts";
import { renderTable } from "./render-table.ts";

export const leaksCommand: Command = {
  name: "leaks",
  parameters: [],
  options: [],
  // Every record is read, and every namespace looked at.
  timeoutMs: 120_000,
  summary: "records that no live sandbox stands behind, and what is done with them; 1 if there are any",
  run: async ({ ask }) => {
    const answer = answerOf(await ask("GET", "/v1/leaks"));
    const items = itemsOf<LeakView>(answer);
    return { answer, table: () => renderLeaks(items), exitCode: items.length === 0 ? 0 : 1 };
  },
};

function renderLeaks(items: readonly LeakView[]): string {
  if (items.length === 0) return "a live sandbox stands behind every record\n";
  return renderTable(
    ["SANDBOX", "POD", "NETWORKS", "ACTION", "SINCE", "WHY"],
    items.map((item) => [
      item.sandbox.slice(0, 16),
      describePod(item.pod),
      item.networks.join(","),
      item.action,
      item.since,
      item.why,
    ]),
  );
}
