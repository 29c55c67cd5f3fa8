import { failureClasses } from "../attachments/failure.ts";
import { failureTable } from "./failure-table.ts";

/** The failure table as Markdown, for `docs/failures.md` between its markers `generated:failure-table`. */
export function renderFailureTable(): string {
  const rows = failureClasses.map((name) => {
    const { status, codes, when, nextStep } = failureTable[name];
    return `| \`${name}\` | ${status} | ${codes} | ${when} | ${nextStep} |`;
  });
  return ["| class | status | CNI code | when | what to do |", "|---|---|---|---|---|", ...rows].join("\n");
}
