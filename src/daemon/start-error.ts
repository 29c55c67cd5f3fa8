/** The daemon cannot start, for a reason outside of it: exit code 2 and one line that says what to do. */
export class StartError extends Error {
  override readonly name = "StartError";
}
