/** CNI_ARGS as pairs in order, and how many parts of it are no pair. */
export interface CniArgs {
  readonly pairs: readonly (readonly [string, string])[];
  readonly unreadable: number;
}

/**
 * Splits CNI_ARGS at `;` and each part at its first `=`. A part is unreadable if it has no `=`, no key or a second `=`
 * (libcni `types.LoadArgs` takes exactly two sides); a value with `=` is kept all the same, for a DEL to use.
 */
export function readCniArgs(text: string): CniArgs {
  if (text === "") return { pairs: [], unreadable: 0 };
  const pairs: (readonly [string, string])[] = [];
  let unreadable = 0;
  for (const part of text.split(";")) {
    const at = part.indexOf("=");
    if (at > 0) pairs.push([part.slice(0, at), part.slice(at + 1)]);
    if (at <= 0 || part.includes("=", at + 1)) unreadable += 1;
  }
  return { pairs, unreadable };
}
