import type { DeletionView } from "../attachments/views.ts";
import type { CommandInput } from "./command.ts";
import type { AskDaemon } from "./daemon-client.ts";
import { answerOf, FailedAnswerError } from "./failed-answer.ts";
import { itemsOf } from "./items-of.ts";
import type { Finding } from "./output.ts";
import { renderTable } from "./render-table.ts";

/** Requests beside each other: each may run a plugin, and the daemon bounds those by itself. */
const requestsAtOnce = 4;

/**
 * Does the same to every deletion of a network, or to all. What the daemon refuses for one (it may have been settled
 * meanwhile) is in its line and stops nothing; 1 if anything did not come out well.
 * @throws {FailedAnswerError} if there is none; {NoDaemonError} if the daemon goes away
 */
export async function actOnMany(
  ask: AskDaemon,
  { network }: CommandInput["options"],
  act: (path: string) => Promise<unknown>,
  isGood: (answer: unknown) => boolean,
  describe: (answer: unknown) => string,
): Promise<Finding> {
  const all = itemsOf<DeletionView>(answerOf(await ask("GET", "/v1/deletions")));
  const chosen = all.filter((item) => network === undefined || item.network === network);
  if (chosen.length === 0) {
    throw new FailedAnswerError(
      `no deletion${network === undefined ? "" : ` of network "${network}"`} is owed`,
    );
  }
  const items: Acted[] = [];
  const waiting = chosen.values();
  const work = async () => {
    for (const { id } of waiting) items.push(await actOn(id, act));
  };
  await Promise.all(Array.from({ length: requestsAtOnce }, work));
  const rows = items.map((item) => [item.id, item.error ?? describe(item.answer)]);
  const isAllGood = items.every(({ error, answer }) => error === undefined && isGood(answer));
  return {
    answer: { items: items.map(({ id, error, answer }) => (error === undefined ? answer : { id, error })) },
    table: () => renderTable(["ID", "OUTCOME"], rows),
    exitCode: isAllGood ? 0 : 1,
  };
}

interface Acted {
  readonly id: string;
  readonly answer?: unknown;
  readonly error?: string;
}

async function actOn(id: string, act: (path: string) => Promise<unknown>): Promise<Acted> {
  try {
    return { id, answer: await act(`/v1/deletions/${encodeURIComponent(id)}`) };
  } catch (error) {
    if (error instanceof FailedAnswerError) return { id, error: error.message };
    throw error;
  }
}
