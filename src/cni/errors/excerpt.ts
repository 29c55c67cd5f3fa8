/** As much of somebody else's text as goes into an error, ellipsis included: errors become events and log lines. */
const maxLength = 4096;

/** The text, or its beginning and an ellipsis where it is long. */
export function excerpt(text: string): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).toWellFormed()}…`;
}

/** The text, or an ellipsis and its end where it is long: of a log the last lines say what went wrong. */
export function lastPart(text: string): string {
  return text.length <= maxLength ? text : `…${text.slice(1 - maxLength).toWellFormed()}`;
}
