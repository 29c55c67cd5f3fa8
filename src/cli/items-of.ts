import { FailedAnswerError } from "./failed-answer.ts";

/**
 * The items of a listing `{"items": […]}`. Their fields are those of the daemon's API: new ones may come, none goes.
 * @throws {FailedAnswerError} if it is no listing: something else answers on the socket
 */
export function itemsOf<T>(answer: unknown): readonly T[] {
  const { items } = (answer ?? {}) as { readonly items?: unknown };
  if (Array.isArray(items)) return items as T[];
  throw new FailedAnswerError(
    "the daemon's answer is no listing; is it multusd that listens on this socket?",
  );
}
