import type { DeletionView } from "../attachments/views.ts";
import { describePod } from "./pod-text.ts";
import { renderFacts, renderTable } from "./render-table.ts";

/** How much of an ID a table shows; commands take any beginning that only one deletion has. */
const shownIdLength = 16;

/** One deletion a line. */
export function renderDeletions(items: readonly DeletionView[]): string {
  if (items.length === 0) return "no deletion is owed\n";
  return renderTable(
    ["ID", "STATE", "POD", "NETWORK", "INTERFACE", "PLUGINS", "ATTEMPTS", "AGE", "NEXT", "LAST ERROR"],
    items.map((item) => [
      item.id.slice(0, shownIdLength),
      item.state,
      describePod(item.pod),
      item.network,
      item.interface,
      item.plugins.join(","),
      String(item.attempts),
      item.age,
      item.nextAttempt ?? "never",
      describeError(item.lastError),
    ]),
  );
}

/** Everything about one deletion. */
export function renderDeletion(item: DeletionView): string {
  return renderFacts([
    ["id", item.id],
    ["state", item.state === "dead" ? "dead: no longer tried by itself" : "pending"],
    ["reason", item.reason],
    ["pod", describePod(item.pod)],
    ["sandbox", item.sandbox],
    ["network", item.network],
    ["interface", item.interface],
    ["plugins left", item.plugins.join(", ")],
    ["policy", `${item.policy.mode} (from ${item.policy.source})`],
    ["attempts", String(item.attempts)],
    ["last error", describeError(item.lastError)],
    ["owed since", `${item.created} (${item.age})`],
    ["next attempt", item.nextAttempt ?? "never"],
    ["what to do", item.next],
  ]).concat(renderHistory(item));
}

/** A try a line; the count says how many more there were than are remembered. */
function renderHistory({ history = [], attempts }: DeletionView): string {
  if (history.length === 0) return "";
  const rows = history.map(({ at, outcome, durationMs, error }) => [
    at,
    outcome,
    `${durationMs} ms`,
    describeError(error),
  ]);
  const of = history.length < attempts ? `, ${history.length} of ${attempts}: the first and the latest` : "";
  return `\nattempts by the daemon${of}:\n${renderTable(["AT", "OUTCOME", "TOOK", "ERROR"], rows)}`;
}

function describeError(error: DeletionView["lastError"]): string {
  return error === null ? "-" : `${error.plugin}: ${error.msg} (code ${error.code})`;
}
