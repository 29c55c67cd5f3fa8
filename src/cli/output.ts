/** Forms of `-o`. */
export const outputForms = ["table", "json", "yaml"] as const;
export type OutputForm = (typeof outputForms)[number];

/** What a command found: the API's answer, and the same for people. */
export interface Finding {
  readonly answer: unknown;
  readonly table: () => string;
  /** 0 fine, 1 found something that wants attention. */
  readonly exitCode: 0 | 1;
}

/** The text of a finding in the form that was asked for; ends with a newline. */
export async function print(finding: Finding, form: OutputForm): Promise<string> {
  switch (form) {
    case "table":
      return finding.table();
    case "json":
      return `${JSON.stringify(finding.answer, undefined, 2)}\n`;
    case "yaml": {
      // Loaded only here: it would take a third of the time of every other call.
      const { stringify } = await import("yaml");
      return stringify(finding.answer, { aliasDuplicateObjects: false, lineWidth: 0 });
    }
  }
}
