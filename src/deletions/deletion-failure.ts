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

function describe(network: string, { plugin, error, wasTried }: SettledPlugin): string {
  const what = wasTried ? "failed" : "could not be tried in time";
  return `network "${network}": DEL of plugin "${plugin}" ${what} (code ${error.code}): ${error.msg}`;
}

function ranOutOfTime(returned: readonly { readonly plugin: SettledPlugin }[]): boolean {
  return returned.every(({ plugin }) => !plugin.wasTried || plugin.timedOut);
}
