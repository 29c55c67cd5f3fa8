import type { DeletionView } from "../attachments/views.ts";
import type { AskDaemon } from "./daemon-client.ts";
import { answerOf, FailedAnswerError } from "./failed-answer.ts";
import { itemsOf } from "./items-of.ts";

/**
 * Path of the one deletion whose ID is `start` or begins with it.
 * @throws {FailedAnswerError} if there is none, or more than one
 */
export async function findDeletionPath(ask: AskDaemon, start: string): Promise<string> {
  const ids = itemsOf<DeletionView>(answerOf(await ask("GET", "/v1/deletions"))).map(({ id }) => id);
  const matching = ids.includes(start) ? [start] : ids.filter((id) => id.startsWith(start));
  const [id] = matching;
  if (id === undefined) {
    throw new FailedAnswerError(
      `no deletion "${start}" is owed: it is settled, or never was; see deletions list`,
    );
  }
  if (matching.length > 1)
    throw new FailedAnswerError(`"${start}" begins the ID of ${matching.length} deletions`);
  return `/v1/deletions/${encodeURIComponent(id)}`;
}
