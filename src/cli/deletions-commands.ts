import type { DeletionRetryView, DeletionView } from "../attachments/views.ts";
import { actOnMany } from "./act-on-many.ts";
import type { Command } from "./command.ts";
import { answerOf } from "./failed-answer.ts";
import { findDeletionPath } from "./find-deletion.ts";
import { itemsOf } from "./items-of.ts";
import { renderDeletion, renderDeletions } from "./render-deletions.ts";

const listTimeoutMs = 30_000;
/** A retry runs plugins, each of which may take its whole time. */
const retryTimeoutMs = 300_000;

export const deletionsList: Command = {
  name: "deletions list",
  parameters: [],
  options: [],
  timeoutMs: listTimeoutMs,
  summary: "deletions that are owed, and those that were given up",
  run: async ({ ask }) => {
    const answer = answerOf(await ask("GET", "/v1/deletions"));
    const items = itemsOf<DeletionView>(answer);
    return { answer, table: () => renderDeletions(items), exitCode: 0 };
  },
};

export const deletionsShow: Command = {
  name: "deletions show",
  parameters: ["ID"],
  options: [],
  timeoutMs: listTimeoutMs,
  summary: "everything about one deletion",
  run: async ({ ask, parameters: [id = ""] }) => {
    const answer = answerOf(await ask("GET", await findDeletionPath(ask, id)));
    return { answer, table: () => renderDeletion(answer as DeletionView), exitCode: 0 };
  },
};

export const deletionsRetry: Command = {
  name: "deletions retry",
  parameters: ["ID"],
  options: ["network", "all"],
  selectors: ["network", "all"],
  timeoutMs: retryTimeoutMs,
  summary: "try it now, a dead one too; 1 if not all are settled then",
  run: async ({ ask, parameters: [id], options }) => {
    const retry = async (path: string) => answerOf(await ask("POST", `${path}/retry`, {}));
    if (id === undefined) return await actOnMany(ask, options, retry, hasSettled, describeRetry);
    const answer = await retry(await findDeletionPath(ask, id));
    const table = () =>
      `${describeRetry(answer)}\n\n${renderDeletion((answer as DeletionRetryView).deletion)}`;
    return { answer, table, exitCode: hasSettled(answer) ? 0 : 1 };
  },
};

export const deletionsAbandon: Command = {
  name: "deletions abandon",
  parameters: ["ID"],
  options: ["network", "all", "reason"],
  selectors: ["network", "all"],
  required: "reason",
  timeoutMs: listTimeoutMs,
  summary: "give it up for good: no plugin is called for it any more",
  run: async ({ ask, parameters: [id], options }) => {
    const { reason } = options;
    const abandon = async (path: string) => answerOf(await ask("POST", `${path}/abandon`, { reason }));
    if (id === undefined)
      return await actOnMany(
        ask,
        options,
        abandon,
        () => true,
        () => "abandoned",
      );
    const answer = await abandon(await findDeletionPath(ask, id));
    return { answer, table: () => `abandoned\n\n${renderDeletion(answer as DeletionView)}`, exitCode: 0 };
  },
};

function hasSettled(answer: unknown): boolean {
  return (answer as DeletionRetryView).outcome === "settled";
}

function describeRetry(answer: unknown): string {
  const { outcome } = answer as DeletionRetryView;
  return outcomes[outcome] ?? outcome;
}

const outcomes: Readonly<Record<DeletionRetryView["outcome"], string>> = {
  settled: "settled: nothing is owed any more",
  failed: "it failed again",
  fenced: "not run: what it would delete belongs to a newer attachment now",
  busy: "an attempt is under way already",
};
