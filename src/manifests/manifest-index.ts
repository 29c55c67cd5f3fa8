import type { ManifestFile } from "./manifest-file.ts";
import { type BrokenObject, type ManifestBody, type ManifestProblem, objectKey } from "./manifest-object.ts";

/** An object that is there, but cannot be used, and the file that it stands in. */
export interface BrokenEntry extends BrokenObject {
  readonly file: string;
}

/** All objects of a directory by name. Immutable. */
export interface ManifestIndex {
  readonly objects: ReadonlyMap<string, ManifestBody>;
  /** Only of objects that stand nowhere else in a good form. */
  readonly broken: ReadonlyMap<string, BrokenEntry>;
  readonly problems: readonly ManifestProblem[];
}

/**
 * Joins the files. Of several definitions of one object the last of the file that is last by name counts; the
 * others are problems.
 * @param files in the order of their names
 */
export function indexManifests(directory: string, files: readonly ManifestFile[]): ManifestIndex {
  const objects = new Map<string, ManifestBody>();
  const places = new Map<string, ManifestProblem>();
  const broken = new Map<string, BrokenEntry>();
  const problems: ManifestProblem[] = [];
  for (const { name, ...content } of files) {
    const file = `${directory}/${name}`;
    problems.push(...content.problems.map((problem) => ({ ...problem, file })));
    for (const object of content.broken) broken.set(objectKey(object.name), { ...object, file });
    for (const { line, column, name: objectName, body } of content.objects) {
      const key = objectKey(objectName);
      const earlier = places.get(key);
      if (earlier !== undefined) {
        problems.push({ ...earlier, message: `${key} is replaced by ${file}:${line}:${column}` });
      }
      places.set(key, { file, line, column, message: "" });
      objects.set(key, body);
    }
  }
  for (const key of objects.keys()) broken.delete(key);
  return { objects, broken, problems };
}
