/**
 * Phrases by which go-cni, and so containerd, takes a failed DEL for a success (go-cni `Remove`): a strict DEL would be
 * lost over its wording.
 */
export const phrasesThatRuntimesSwallow = ["not found", "no such file or directory"] as const;

const replacements = [
  // The flag `u` makes `i` fold the long s (U+017F) as Unicode does.
  [/no such file or directory/giu, "file or directory is missing"],
  [/not found/giu, "missing"],
] as const;

/**
 * The same text without a phrase that a runtime takes for success, in any letter case. For `msg` and `details` of every
 * failed DEL, a plugin's own words included. Applied twice it changes nothing more.
 */
export function keepOutOfRuntimeWording(text: string): string {
  return replacements.reduce((kept, [phrase, substitute]) => kept.replace(phrase, substitute), text);
}
