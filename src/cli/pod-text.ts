import { UsageError } from "./usage-error.ts";

/** `namespace/name` of a pod as text; `-` where a sandbox has none. */
export function describePod(pod: { readonly namespace: string; readonly name: string } | null): string {
  return pod === null ? "-" : `${pod.namespace}/${pod.name}`;
}

/**
 * `text` as it is, if it is `namespace/name`.
 * @throws {UsageError}
 */
export function checkPod(text: string): string {
  if (/^[^/\s]+\/[^/\s]+$/.test(text)) return text;
  throw new UsageError(`"${text}" is no pod: give it as NAMESPACE/NAME`);
}
