/** The command line cannot be understood; `message` says what is wrong with it. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
