/** CNI_COMMAND (SPEC.md §2 "Parameters"). */
export type CniVerb = "ADD" | "DEL" | "CHECK" | "GC" | "STATUS" | "VERSION";
