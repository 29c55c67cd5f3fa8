import { renderHelp } from "./multusctl-help.ts";

/** `multusctl --help` as Markdown, for `docs/multusctl.md` between its markers `generated:multusctl-help`. */
export function renderHelpPage(): string {
  return `\`\`\`text\n${renderHelp()}\`\`\``;
}
