import type { AttachmentView, DeletionView, ReadinessGap } from "../attachments/views.ts";
import type { Command, CommandInput } from "./command.ts";
import { type DaemonReply, NoDaemonError } from "./daemon-client.ts";
import { answerOf, FailedAnswerError } from "./failed-answer.ts";
import { itemsOf } from "./items-of.ts";
import { renderFacts } from "./render-table.ts";

/** What `multusctl status -o json` prints. */
interface StatusAnswer {
  readonly daemon: { readonly socket: string; readonly version: string; readonly healthy: boolean };
  readonly ready: boolean;
  readonly missing: readonly ReadinessGap[];
  /** `null` where the daemon does not answer that yet: it waits for its predecessor. */
  readonly attachments: { readonly sandboxes: number; readonly networks: number } | null;
  readonly deletions: { readonly pending: number; readonly dead: number } | null;
}

export const statusCommand: Command = {
  name: "status",
  parameters: [],
  options: [],
  timeoutMs: 5_000,
  summary: "is the daemon ready, what does it hold and owe; 1 if not ready or a deletion is dead",
  run: async (input) => {
    const answer = await collect(input);
    const needsAttention = !answer.daemon.healthy || !answer.ready || (answer.deletions?.dead ?? 0) > 0;
    return { answer, table: () => render(answer), exitCode: needsAttention ? 1 : 0 };
  },
};

async function collect({ ask, socketFile }: CommandInput): Promise<StatusAnswer> {
  const health = await ask("GET", "/healthz");
  const readiness = await ask("GET", "/readyz");
  const attachments = await listUnlessHeld<AttachmentView>(ask, "/v1/attachments");
  const deletions = await listUnlessHeld<DeletionView>(ask, "/v1/deletions");
  const dead = deletions?.filter(({ state }) => state === "dead").length ?? 0;
  return {
    daemon: { socket: socketFile, version: versionOf(health), healthy: health.status === 200 },
    ready: readiness.status === 200,
    missing: readiness.status === 200 ? [] : itemsOf<ReadinessGap>(JSON.parse(readiness.text)),
    attachments: attachments && {
      sandboxes: new Set(attachments.map(({ sandbox }) => sandbox)).size,
      networks: attachments.length,
    },
    deletions: deletions && { pending: deletions.length - dead, dead },
  };
}

/** The daemon is there, its probes have answered: a listing that does not come is held, not absent. */
async function listUnlessHeld<T>(ask: CommandInput["ask"], path: string): Promise<readonly T[] | null> {
  try {
    return itemsOf<T>(answerOf(await ask("GET", path)));
  } catch (error) {
    if (error instanceof NoDaemonError || error instanceof FailedAnswerError) return null;
    throw error;
  }
}

function versionOf(reply: DaemonReply): string {
  const { server } = reply.headers;
  return typeof server === "string" && server.startsWith("multusd/")
    ? server.slice("multusd/".length)
    : "unknown";
}

function render({ daemon, ready, missing, attachments, deletions }: StatusAnswer): string {
  const unknown = "not told yet";
  const facts: [string, string][] = [
    [
      "daemon",
      `${daemon.healthy ? "healthy" : "not healthy"}, version ${daemon.version}, on ${daemon.socket}`,
    ],
    ["ready for ADD", ready ? "yes" : "no"],
    ...missing.map(({ what, detail }): [string, string] => ["missing", `${what}: ${detail}`]),
    [
      "attached",
      attachments === null
        ? unknown
        : `${attachments.networks} networks of ${attachments.sandboxes} sandboxes`,
    ],
    ["deletions", deletions === null ? unknown : `${deletions.pending} pending, ${deletions.dead} dead`],
  ];
  const hint = deletions !== null && deletions.dead > 0 ? "\nsee: multusctl deletions list\n" : "";
  return renderFacts(facts) + hint;
}
