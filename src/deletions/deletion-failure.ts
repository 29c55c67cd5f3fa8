import { Failure } from "../attachments/failure.ts";
import { formatDuration } from "../foundation/duration.ts";
import type { SettledAttachment, SettledPlugin } from "./attachment-outcome.ts";

/**
 * The one error that a runtime gets for all networks whose DEL failed under `strict`: each with plugin, code and
 * cause; the code is the first failed plugin's. Byte for byte the same at each repeat, so no count and no id is in it.
 */
export function deletionFailure(attachments: readonly SettledAttachment[]): Failure {
  const returned = attachments.flatMap(({ attachment, settled }) =>
    settled
      .filter(({ decision }) => decision === "returned")
      .map((plugin) => ({ network: attachment.network, plugin })),
  );
  const [first] = returned;
  const sentences = returned.map(({ network, plugin }) => describe(network, plugin));
  const escalate = first?.plugin.policy.policy.escalate;
  const next =
    escalate === undefined
      ? ""
      : `; the runtime tries again, and what still fails is handed to the daemon after ${escalate.attempts} attempts or ${formatDuration(escalate.ageMs)}`;
  return new Failure(
    ranOutOfTime(returned) ? "deadline-exceeded" : "delegate-failed",
    `${sentences.join("; ")}${next}`,
    {
      code: first?.plugin.error.code ?? 11,
    },
  );
}

/** How long a plugin was given is a share of what was left, so a number here would differ at each repeat. */
function describe(network: string, { plugin, error, wasTried, timedOut }: SettledPlugin): string {
  const who = `network "${network}": DEL of plugin "${plugin}"`;
  if (!wasTried) return `${who} could not be tried in time (code ${error.code})`;
  if (timedOut) return `${who} was ended because its time was over (code ${error.code})`;
  return `${who} failed (code ${error.code}): ${error.msg}`;
}

function ranOutOfTime(returned: readonly { readonly plugin: SettledPlugin }[]): boolean {
  return returned.every(({ plugin }) => !plugin.wasTried || plugin.timedOut);
}
