import { Failure } from "../attachments/failure.ts";
import type { Log } from "../attachments/instruments.ts";
import type { NamespaceSource, NetworkDefinitionSource, PodSource } from "../attachments/ports.ts";
import type { ReadinessGap } from "../attachments/views.ts";
import { abortable } from "../foundation/abort.ts";
import { ManifestDirectory, type ManifestState } from "./manifest-directory.ts";
import { type ManifestBody, type ManifestProblem, type ObjectName, objectKey } from "./manifest-object.ts";
import { ManifestWatch } from "./manifest-watch.ts";

export interface ManifestSource extends PodSource, NetworkDefinitionSource, NamespaceSource {
  /** What is wrong with the files as they were last seen. */
  problems(): readonly ManifestProblem[];
  /** Why pods and definitions cannot be told, if they cannot: the directory does not exist, cannot be read. */
  gap(): ReadinessGap | undefined;
  stop(): Promise<void>;
}

export interface ManifestSourceOptions {
  /** Finds what no event told of, and a directory that is made later. */
  readonly rescanMs?: number;
}

/**
 * Pods, network definitions and namespaces from the YAML and JSON files of a directory. A look-up sees every file that
 * was written (or renamed into place) before it: it looks at the directory itself, the watch only brings the log of
 * mistakes early. A directory that does not exist is waited for: until then look-ups are `not-ready`.
 *
 * An object that stands there but cannot be used is `invalid-configuration` with file, line and column, unless an
 * earlier form of it was good: that is then used, as an API server would that refuses a change.
 */
export async function createManifestSource(
  directory: string,
  log: Log,
  options: ManifestSourceOptions = {},
): Promise<ManifestSource> {
  const files = new ManifestDirectory(directory);
  await files.look();
  const watch = new ManifestWatch(directory, files, log, options.rescanMs ?? 15_000);
  const find = async (name: ObjectName, signal: AbortSignal) => {
    const state = await abortable(files.look(), signal);
    watch.report(state);
    return findObject(directory, state, name);
  };
  return {
    async findPod({ namespace, name }, signal) {
      const body = await find({ kind: "Pod", namespace, name }, signal);
      return body?.kind === "Pod" ? body.pod : undefined;
    },
    async findDefinition(namespace, name, signal) {
      const body = await find({ kind: "NetworkAttachmentDefinition", namespace, name }, signal);
      return body?.kind === "NetworkAttachmentDefinition" ? body.definition : undefined;
    },
    async findNamespaceAnnotations(name, signal) {
      const body = await find({ kind: "Namespace", namespace: "", name }, signal);
      return body?.kind === "Namespace" ? body.annotations : {};
    },
    problems: () => files.state.index.problems,
    gap: () => describeGap(directory, files.state),
    stop: () => watch.stop(),
  };
}

function describeGap(directory: string, { gap }: ManifestState): ReadinessGap | undefined {
  return gap === undefined
    ? undefined
    : { what: "manifests", detail: `manifest directory ${directory} ${gap}` };
}

function findObject(directory: string, state: ManifestState, name: ObjectName): ManifestBody | undefined {
  const gap = describeGap(directory, state);
  if (gap !== undefined) {
    throw new Failure("not-ready", `${gap.detail}; the runtime tries again`, { retryAfterSeconds: 5 });
  }
  const key = objectKey(name);
  const broken = state.index.broken.get(key);
  if (broken !== undefined) {
    const { file, line, column, message } = broken;
    throw new Failure(
      "invalid-configuration",
      `${key}: ${file}:${line}:${column}: ${message}; correct the manifest`,
    );
  }
  return state.index.objects.get(key);
}
