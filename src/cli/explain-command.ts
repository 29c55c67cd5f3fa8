import type { ExplainView, StepView } from "../attachments/views.ts";
import { renderAttachments } from "./attachments-command.ts";
import type { Command } from "./command.ts";
import { answerOf } from "./failed-answer.ts";
import { checkPod, describePod } from "./pod-text.ts";
import { renderDeletions } from "./render-deletions.ts";
import { renderTable } from "./render-table.ts";

export const explainCommand: Command = {
  name: "explain",
  parameters: ["NAMESPACE/POD"],
  options: [],
  timeoutMs: 30_000,
  summary: "everything known of a pod: networks, steps, decisions, what to do",
  run: async ({ ask, parameters: [pod = ""] }) => {
    const query = new URLSearchParams({ pod: checkPod(pod) });
    const answer = answerOf(await ask("GET", `/v1/explain?${query}`));
    return { answer, table: () => renderExplanation(answer as ExplainView), exitCode: 0 };
  },
};

function renderExplanation({ pod, attachments, deletions, steps, next }: ExplainView): string {
  const uid = pod.uid === "" ? "" : ` (UID ${pod.uid})`;
  const sections = [
    `pod ${describePod(pod)}${uid}\n`,
    `Attachments\n${renderAttachments(attachments)}`,
    `Deletions\n${renderDeletions(deletions)}`,
    `Steps\n${renderSteps(steps)}`,
    `What to do\n${next.length === 0 ? "nothing\n" : next.map((sentence) => `- ${sentence}\n`).join("")}`,
  ];
  return sections.join("\n");
}

function renderSteps(steps: readonly StepView[]): string {
  if (steps.length === 0) return "none remembered: the daemon keeps the latest since its start\n";
  return renderTable(
    ["AT", "COMMAND", "STEP", "NETWORK", "OUTCOME", "MS", "WHAT", "REQUEST"],
    steps.map((step) => [
      step.at,
      step.command,
      step.step,
      step.network,
      step.outcome,
      String(Math.round(step.durationMs)),
      step.text,
      step.requestId,
    ]),
  );
}
