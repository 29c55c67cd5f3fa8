import type { Observation } from "../run/observation.ts";

/**
 * What both sides say of a step in which both failed, if it is not the same. Texts are for people and may differ
 * (deviations 8, 20 to 22); `CONFORMANCE_TEXTS=1` shows them.
 */
export function differentTexts(
  upstream: Observation,
  ours: Observation,
): readonly [string, string] | undefined {
  if (upstream.exit !== 1 || ours.exit !== 1) return undefined;
  const [their, our] = [upstream.stderr.trim(), lastMessage(ours.stderr)];
  return their.endsWith(our) ? undefined : [their, our];
}

/** After what plugins wrote, and after warnings. */
function lastMessage(stderr: string): string {
  return (
    stderr
      .trim()
      .split(/^multusctl: /m)
      .at(-1) ?? ""
  );
}
