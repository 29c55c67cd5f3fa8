/** One document of a file, still text. */
export interface DocumentText {
  readonly text: string;
  /** Lines of the file before it. */
  readonly linesBefore: number;
}

/**
 * Splits a file at its document markers. `---` at the beginning of a line ends a document wherever it stands, in a
 * quoted text that was never closed too (YAML 1.2 §9.1.4): the parser would let such a text swallow all that follows.
 * Parts without content are left out, and so are directives, which Kubernetes has no use for.
 */
export function* splitDocuments(file: string): Generator<DocumentText> {
  let linesBefore = 0;
  for (const text of file.split(/^(?=---(?:\s|$))/m)) {
    if (hasContent.test(text.replace(/^---/, ""))) yield { text, linesBefore };
    linesBefore += countLines(text);
  }
}

/** A line that is neither empty nor a comment nor a directive. */
const hasContent = /^[ \t]*[^\s#%]/m;

function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}
